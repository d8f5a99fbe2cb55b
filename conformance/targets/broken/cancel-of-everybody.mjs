// @ts-check
/** Fault: a cancel reaches the requests of that id on every connection. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

/** @type {Set<import("../control/Parts.mjs").Connection>} */
const connections = new Set()

serve({
  cancellable: () => true,
  cancelled: (_connection, id) => {
    for (const connection of connections)
      if (parts.cancellable(connection.waiting.get(id) ?? ""))
        for (const answer of parts.cancelled(connection, id)) connection.send(answer)
    return []
  },
  schedule: (connection, run) => {
    connections.add(connection)
    return run()
  },
})
