// @ts-check
/** Fault: an attachment always begins with the first event. */
import { serve } from "../control/Server.mjs"

serve({ beginsAfter: () => 0 })
