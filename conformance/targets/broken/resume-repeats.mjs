// @ts-check
/** Fault: after a resume all output is pushed again. */
import { serve } from "../control/Server.mjs"

serve({
  resumed: (session) => {
    setImmediate(() => {
      for (const { chunks, id } of session.processes.values())
        for (const { seq, stream, chunk } of chunks)
          session.connection?.send({
            method: "process/output",
            params: { processId: id, seq, stream, chunk },
          })
    })
  },
})
