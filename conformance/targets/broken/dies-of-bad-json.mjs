// @ts-check
/** Fault: a text that is no message ends the server. */
import { serve } from "../control/Server.mjs"

serve({ malformed: () => process.exit(1) })
