// @ts-check
/** Fault: output leaves as long as any credit is left, so that the last chunk exceeds it. */
import { serve } from "../control/Server.mjs"

serve({ fits: (entry) => entry.credit > 0 })
