// @ts-check
/** Fault: a deadline that passes while no client is attached ends nothing. */
import { serve } from "../control/Server.mjs"

serve({ fires: (session) => session.connection !== undefined })
