// @ts-check
/** Fault: a connection whose session is taken is told so, and stays open. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  handOver: (session, holder) => {
    session.connection = undefined
    for (const message of parts.farewell(session, holder)) holder.send(message)
  },
})
