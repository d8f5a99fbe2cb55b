// @ts-check
/** Fault: the third notification of output of a process never leaves. */
import { serve } from "../control/Server.mjs"

serve({
  send: (message) => (message.method === "process/output" && message.params.seq === 3 ? [] : [message]),
})
