// @ts-check
/** Fault: a match has its number instead of that of its line. */
import { serve } from "../control/Server.mjs"

let number = 0

serve({ matched: (match) => ({ ...match, line: (number += 1) }) })
