// @ts-check
/** Fault: the time of silence is not begun anew by output. */
import { serve } from "../control/Server.mjs"

serve({ outputCounts: () => false })
