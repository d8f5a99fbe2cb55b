// @ts-check
/** Fault: closed has the seq of exited, exited that of closed, and they leave in that order. */
import { serve } from "../control/Server.mjs"

const held = new Map()
/**
 * @param {import("../control/Parts.mjs").Message} one
 * @param {import("../control/Parts.mjs").Message} other
 */
const swap = (one, other) => ({ ...one, params: { ...one.params, seq: other.params.seq } })

serve({
  send: (message) => {
    if (message.method === "process/exited") {
      held.set(message.params.processId, message)
      return []
    }
    if (message.method !== "process/closed") return [message]
    const exited = held.get(message.params.processId)
    return [swap(message, exited), swap(exited, message)]
  },
})
