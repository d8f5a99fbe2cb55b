// @ts-check
/** Fault: a cancel of a request that does not wait is answered with an error. */
import { cancelledError, parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  cancellable: (method) => method === "" || parts.cancellable(method),
  cancelled: ({ waiting }, id) => {
    waiting.delete(id)
    return [{ id, error: cancelledError }]
  },
})
