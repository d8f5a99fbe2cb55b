// @ts-check
/** Fault: output that comes after exited is not told. */
import { serve } from "../control/Server.mjs"

const exited = new Set()

serve({
  send: (message) => {
    if (message.method === "process/exited") exited.add(message.params.processId)
    return message.method === "process/output" && exited.has(message.params.processId) ? [] : [message]
  },
})
