// @ts-check
/** Fault: what the server retains anyway is all that a history has. */
import { serve } from "../control/Server.mjs"

serve({
  remembers: (entry, { chunks }) => chunks.filter(({ seq }) => seq >= (entry.chunks[0]?.seq ?? Infinity)),
})
