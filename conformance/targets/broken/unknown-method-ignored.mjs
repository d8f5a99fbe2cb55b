// @ts-check
/** Fault: a request with an unknown method has no answer. */
import { serve } from "../control/Server.mjs"

serve({ unknownMethod: () => undefined })
