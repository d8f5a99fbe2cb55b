// @ts-check
/** Fault: a terminate with a grace kills at once. */
import { serve } from "../control/Server.mjs"

serve({ asksFirst: () => false })
