// @ts-check
/** Fault: a process counts as quiet since long ago. */
import { serve } from "../control/Server.mjs"

serve({ quietSince: (_entry, { lastAt }) => lastAt - 200 })
