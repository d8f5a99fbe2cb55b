// @ts-check
/** Fault: a match comes without the lines around it. */
import { serve } from "../control/Server.mjs"

serve({ matched: (match) => ({ ...match, before: [], after: [] }) })
