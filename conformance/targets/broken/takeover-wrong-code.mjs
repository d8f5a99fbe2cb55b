// @ts-check
/** Fault: waiting requests are answered with -32600 when their session is taken. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  farewell: (session, holder) =>
    parts
      .farewell(session, holder)
      .map((message) =>
        message.id === undefined ? message : { ...message, error: { ...message.error, code: -32600 } },
      ),
})
