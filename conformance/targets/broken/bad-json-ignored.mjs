// @ts-check
/** Fault: a text that is no message has no answer. */
import { serve } from "../control/Server.mjs"

serve({ send: (message) => (message.id === -1 ? [] : [message]) })
