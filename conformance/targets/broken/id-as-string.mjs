/** Fault: the id of every answer is a text. */
import { serve } from "./Base.mjs"

serve((message) => [message.id === undefined ? message : { ...message, id: String(message.id) }])
