// @ts-check
/** Fault: a process that ends does not end the waits for it. */
import { serve } from "../control/Server.mjs"

serve({ endsWait: () => false })
