// @ts-check
/** Fault: a request that was cancelled is answered again when what it waited for comes. */
import { cancelledError } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({ cancelled: (_connection, id) => [{ id, error: cancelledError }] })
