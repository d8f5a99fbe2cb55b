// @ts-check
/** Fault: wrong params are refused with -32600. */
import { serve } from "../control/Server.mjs"

/** @type {(message: import("../control/Parts.mjs").Message) => import("../control/Parts.mjs").Message} */
const wrong = ({ error, ...rest }) => ({ ...rest, error: { ...error, code: -32600 } })

serve({ send: (message) => [message.error?.code === -32602 ? wrong(message) : message] })
