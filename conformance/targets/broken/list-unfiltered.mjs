// @ts-check
/** Fault: a list has processes of every state. */
import { serve } from "../control/Server.mjs"

serve({ wanted: (query) => ({ ...query, states: null }) })
