// @ts-check
/** Fault: a takeover kills the processes of the session. */
import { parts } from "../control/Parts.mjs"
import { end } from "../control/Processes.mjs"
import { serve } from "../control/Server.mjs"

serve({
  handOver: (session, holder) => {
    end(session)
    parts.handOver(session, holder)
  },
})
