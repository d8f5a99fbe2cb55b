// @ts-check
/** Fault: every page is told to be the last. */
import { serve } from "../control/Server.mjs"

serve({ isComplete: () => true })
