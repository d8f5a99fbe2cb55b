// @ts-check
/** Fault: flags of patterns mean nothing. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({ find: (entry, stream, { pattern }, after) => Wait.find(entry, stream, { pattern }, after) })
