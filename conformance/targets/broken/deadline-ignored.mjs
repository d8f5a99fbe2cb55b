// @ts-check
/** Fault: a deadline that has passed ends nothing. */
import { serve } from "../control/Server.mjs"

serve({ fires: () => false })
