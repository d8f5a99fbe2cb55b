// @ts-check
/** Fault: a read does not tell the marks. */
import { serve } from "../control/Server.mjs"

serve({ marksRead: () => [] })
