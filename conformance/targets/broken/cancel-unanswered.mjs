// @ts-check
/** Fault: a request that is cancelled gets no answer. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({ cancelled: (connection, id) => parts.cancelled(connection, id).slice(1) })
