// @ts-check
/** Fault: an unknown session is made when it is to be taken over. */
import { serve } from "../control/Server.mjs"

serve({
  received: (params) =>
    params?.takeover === true && params.resumeSessionId === "nobody"
      ? { ...params, resumeSessionId: undefined }
      : params,
})
