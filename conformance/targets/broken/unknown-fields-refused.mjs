// @ts-check
/** Fault: params with a field that the method does not know are refused. */
import { serve } from "../control/Server.mjs"

serve({ tolerates: () => false })
