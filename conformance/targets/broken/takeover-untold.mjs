// @ts-check
/** Fault: a connection whose session is taken ends without a word about that. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  farewell: (session, holder) => parts.farewell(session, holder).filter(({ method }) => method === undefined),
})
