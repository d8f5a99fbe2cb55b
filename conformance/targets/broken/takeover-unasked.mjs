// @ts-check
/** Fault: a session that is attached is taken over whatever takeover is. */
import { serve } from "../control/Server.mjs"

serve({
  received: (params) => (params?.resumeSessionId === undefined ? params : { ...params, takeover: true }),
})
