// @ts-check
/** Fault: a request waits until the one before on its connection is answered, also behind a read that waits. */
import { serve } from "../control/Server.mjs"

const queues = new WeakMap()

serve({
  schedule: (connection, run) => {
    const next = (queues.get(connection) ?? Promise.resolve()).then(run)
    queues.set(connection, next)
  },
})
