// @ts-check
/** Fault: every process has a history. */
import * as History from "../control/History.mjs"
import { serve } from "../control/Server.mjs"

serve({ remembered: (asked) => History.make(asked?.maxBytes ?? Infinity) })
