/** Fault: the third notification of output of a process never leaves. */
import { serve } from "./Base.mjs"

serve((message) => (message.method === "process/output" && message.params.seq === 3 ? [] : [message]))
