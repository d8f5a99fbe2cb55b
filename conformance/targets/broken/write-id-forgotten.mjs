// @ts-check
/** Fault: a repeated write is written again. */
import { serve } from "../control/Server.mjs"

serve({ repeated: () => false })
