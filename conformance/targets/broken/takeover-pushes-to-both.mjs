// @ts-check
/** Fault: a connection whose session is taken still gets its events. */
import { serve } from "../control/Server.mjs"

serve({
  handOver: (session, holder) => {
    const { farewell } = session.parts
    const { send } = holder
    session.connection = undefined
    for (const message of farewell(session, holder)) send(message)
    const queue = () => {
      const { connection } = session
      if (connection === undefined) return
      const own = connection.send
      connection.send = (message) => {
        own(message)
        if (message.method !== undefined) send(message)
      }
    }
    setImmediate(queue)
    setTimeout(() => holder.leave([]), 500)
  },
})
