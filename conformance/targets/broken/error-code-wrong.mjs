/** Fault: wrong params are refused with -32600. */
import { serve } from "../control/Server.mjs"

const wrong = ({ error, ...rest }) => ({ ...rest, error: { ...error, code: -32600 } })

serve({ send: (message) => [message.error?.code === -32602 ? wrong(message) : message] })
