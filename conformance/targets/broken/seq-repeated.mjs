/** Fault: the second chunk of a process has the seq of the first. */
import { serve } from "./Base.mjs"

serve((message) => {
  const again = message.method === "process/output" && message.params.seq === 2
  return [again ? { ...message, params: { ...message.params, seq: 1 } } : message]
})
