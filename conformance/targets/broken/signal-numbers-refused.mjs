// @ts-check
/** Fault: a signal that is a number is an interrupt. */
import { serve } from "../control/Server.mjs"

serve({
  received: (params) => (typeof params?.signal === "number" ? { ...params, signal: "interrupt" } : params),
})
