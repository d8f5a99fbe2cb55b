// @ts-check
/** Fault: the answer to a start leaves after the first notifications of its process. */
import { serve } from "../control/Server.mjs"

serve({
  schedule: (connection, run, message) => {
    if (message.method !== "process/start") return run()
    const { send } = connection
    connection.send = (answer) => {
      connection.send = send
      setTimeout(() => send(answer), 100)
    }
    return run()
  },
})
