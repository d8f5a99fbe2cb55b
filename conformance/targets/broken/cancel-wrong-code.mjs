// @ts-check
/** Fault: a request that is cancelled is answered with -32600. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  cancelled: (connection, id) =>
    parts.cancelled(connection, id).map(({ error }) => ({ id, error: { ...error, code: -32600 } })),
})
