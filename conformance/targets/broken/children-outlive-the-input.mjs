// @ts-check
/** Fault: the end of the input ends the server and not its processes. */
import { serve } from "../control/Server.mjs"

serve({ sweep: () => undefined })
