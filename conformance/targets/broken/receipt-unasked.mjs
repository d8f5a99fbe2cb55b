// @ts-check
/** Fault: every process closes with a receipt. */
import { serve } from "../control/Server.mjs"

serve({ accounts: () => true })
