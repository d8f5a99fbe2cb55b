// @ts-check
/** Fault: the policy block is skip. */
import { serve } from "../control/Server.mjs"

serve({ holds: () => false })
