// @ts-check
/** Fault: every client sees and controls the processes of all. */
import { serve } from "../control/Server.mjs"

serve({ mayView: () => true, mayControl: () => true })
