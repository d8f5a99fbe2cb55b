// @ts-check
/** Fault: a grant replaces what was left. */
import { serve } from "../control/Server.mjs"

serve({ granted: (_left, bytes) => bytes })
