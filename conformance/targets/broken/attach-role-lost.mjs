// @ts-check
/** Fault: the role of a writer that has left is nobody's. */
import { serve } from "../control/Server.mjs"

serve({ givesBack: () => undefined })
