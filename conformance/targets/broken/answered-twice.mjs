/** Fault: every request is answered twice. */
import { serve } from "./Base.mjs"

serve((message) => (message.id === undefined ? [message] : [message, message]))
