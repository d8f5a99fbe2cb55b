// @ts-check
/** Fault: a pattern for one stream is looked for in both. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({
  evidence: (session, entry, { stream: _stream, ...condition }, begun) =>
    Wait.evidence(session, entry, condition, begun),
})
