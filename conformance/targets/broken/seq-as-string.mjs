// @ts-check
/** Fault: the seq of exited is a text. */
import { serve } from "../control/Server.mjs"

/** @type {(message: import("../control/Parts.mjs").Message) => import("../control/Parts.mjs").Message} */
const wrong = ({ params, ...rest }) => ({ ...rest, params: { ...params, seq: String(params.seq) } })

serve({ send: (message) => [message.method === "process/exited" ? wrong(message) : message] })
