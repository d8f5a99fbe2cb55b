// @ts-check
/** Fault: who may only look may write, too. */
import { serve } from "../control/Server.mjs"

serve({ mayControl: (scope) => scope !== "own" })
