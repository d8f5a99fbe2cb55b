/** Fault: the seq of exited is a text. */
import { serve } from "../control/Server.mjs"

const wrong = ({ params, ...rest }) => ({ ...rest, params: { ...params, seq: String(params.seq) } })

serve({ send: (message) => [message.method === "process/exited" ? wrong(message) : message] })
