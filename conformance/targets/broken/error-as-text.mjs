// @ts-check
/** Fault: an error is a text instead of an object with a code. */
import { serve } from "../control/Server.mjs"

serve({
  send: (message) => [message.error === undefined ? message : { ...message, error: message.error.message }],
})
