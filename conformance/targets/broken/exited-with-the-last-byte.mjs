// @ts-check
/** Fault: exited waits until every descendant has let go of the output. */
import { serve } from "../control/Server.mjs"

serve({ exitPatience: 2 ** 31 - 1 })
