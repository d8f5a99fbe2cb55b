// @ts-check
/** Fault: every request is answered twice. */
import { serve } from "../control/Server.mjs"

serve({ send: (message) => (message.id === undefined ? [message] : [message, message]) })
