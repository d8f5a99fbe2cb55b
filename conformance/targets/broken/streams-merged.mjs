// @ts-check
/** Fault: all output is told as stdout. */
import { serve } from "../control/Server.mjs"

/** @type {(message: import("../control/Parts.mjs").Message) => import("../control/Parts.mjs").Message} */
const wrong = ({ params, ...rest }) => ({ ...rest, params: { ...params, stream: "stdout" } })

serve({ send: (message) => [message.params?.stream === "stderr" ? wrong(message) : message] })
