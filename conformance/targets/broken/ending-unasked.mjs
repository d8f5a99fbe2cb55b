// @ts-check
/** Fault: every exit tells what has ended the process. */
import { serve } from "../control/Server.mjs"

serve({ tellsEnding: () => true })
