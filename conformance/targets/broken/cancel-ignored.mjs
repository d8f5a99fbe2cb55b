// @ts-check
/** Fault: a request that is cancelled waits on. */
import { serve } from "../control/Server.mjs"

serve({ cancelled: () => [] })
