// @ts-check
/** Fault: a list of all sessions says of each that it is the own one. */
import { serve } from "../control/Server.mjs"

serve({ owns: () => true })
