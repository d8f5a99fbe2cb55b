// @ts-check
/** Fault: requests are answered before initialize. */
import { serve } from "../control/Server.mjs"

serve({ admits: () => true })
