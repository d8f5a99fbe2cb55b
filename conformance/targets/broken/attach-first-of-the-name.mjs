// @ts-check
/** Fault: a name of several processes means the first of them. */
import { serve } from "../control/Server.mjs"

serve({ chosenOfName: ([first]) => (first === undefined ? [] : [first]) })
