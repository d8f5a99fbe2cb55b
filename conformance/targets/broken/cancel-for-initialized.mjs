// @ts-check
/** Fault: a cancel stands for initialized. */
import { serve } from "../control/Server.mjs"

serve({ notified: () => "ready" })
