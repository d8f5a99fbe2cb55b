// @ts-check
/** Fault: viewers write. */
import { serve } from "../control/Server.mjs"

serve({ mayWrite: () => true })
