// @ts-check
/** Fault: bytes up to the seq count, too. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({
  evidence: (session, entry, condition, begun) =>
    Wait.evidence(session, entry, condition, condition.bytes === undefined ? begun : { ...begun, after: 0 }),
})
