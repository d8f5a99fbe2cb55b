// @ts-check
/** Fault: what is left after a grace is not killed. */
import { serve } from "../control/Server.mjs"

serve({ killsAfterGrace: () => false })
