// @ts-check
/** Fault: a history has everything, whatever its bound. */
import { serve } from "../control/Server.mjs"

serve({ drops: () => {} })
