// @ts-check
/** Fault: a wait for the exit comes true at once. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({
  evidence: (session, entry, condition, begun) =>
    condition.exit === true ? { exitCode: entry.exitCode } : Wait.evidence(session, entry, condition, begun),
})
