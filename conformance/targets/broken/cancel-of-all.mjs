// @ts-check
/** Fault: a cancel ends every read that waits on its connection. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  cancelled: (connection) => [...connection.waiting.keys()].flatMap((id) => parts.cancelled(connection, id)),
})
