// @ts-check
/** Fault: requests that wait on a connection whose session is taken get no answer. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  farewell: (session, holder) => parts.farewell(session, holder).filter(({ id }) => id === undefined),
})
