// @ts-check
/** Fault: a receipt is of what was kept alone: bytes that nobody got are not in it. */
import { serve } from "../control/Server.mjs"

serve({
  evicted: ({ streams, told }, name, seq, bytes) => {
    const stream = streams[name]
    if (stream !== undefined && seq > told) stream.bytes -= bytes.length
  },
})
