/** Fault: closed takes its seq before exited, and both leave in that order. */
import { serve } from "./Base.mjs"

const held = new Map()

serve((message) => {
  if (message.method === "process/exited") {
    held.set(message.params.processId, message)
    return []
  }
  if (message.method !== "process/closed") return [message]
  const exited = held.get(message.params.processId)
  const swap = (one, other) => ({ ...one, params: { ...one.params, seq: other.params.seq } })
  return [swap(message, exited), swap(exited, message)]
})
