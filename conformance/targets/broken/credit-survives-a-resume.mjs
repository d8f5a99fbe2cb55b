// @ts-check
/** Fault: the credit of a lost connection holds on the next one. */
import { serve } from "../control/Server.mjs"

serve({ anew: (_given, entry) => entry.credit })
