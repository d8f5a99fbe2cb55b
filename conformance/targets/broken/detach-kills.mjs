// @ts-check
/** Fault: the loss of a connection ends the processes of its session. */
import { serve } from "../control/Server.mjs"

serve({
  detached: (session, end) => {
    session.connection = undefined
    end(session)
  },
})
