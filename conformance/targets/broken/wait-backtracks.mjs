// @ts-check
/** Fault: a pattern may backtrack without end, and stall the server. */
import { serve } from "../control/Server.mjs"

serve({ linear: false })
