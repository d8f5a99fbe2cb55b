// @ts-check
/** Fault: a cancel also ends the request that comes later with its id. */
import { cancelledError, parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

/** @type {Set<string>} */
const remembered = new Set()

serve({
  cancellable: (method) => method === "" || parts.cancellable(method),
  cancelled: (connection, id) => {
    if (!connection.waiting.has(id)) remembered.add(id)
    return parts.cancelled(connection, id)
  },
  schedule: (connection, run, { id }) =>
    remembered.delete(JSON.stringify(id)) ? connection.send({ id, error: cancelledError }) : run(),
})
