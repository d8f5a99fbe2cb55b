// @ts-check
/** Fault: what waits for credit of its process holds up every other process. */
import { serve } from "../control/Server.mjs"

serve({
  fits: (entry, size, { processes }) =>
    size <= entry.credit &&
    [...processes.values()].every((other) => other === entry || other.held.length === 0),
})
