// @ts-check
/** Fault: a receipt counts the last chunk of a stream alone. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  written: (account, stream, seq, bytes) => {
    parts.written(account, stream, seq, bytes)
    const counted = account.streams[stream]
    if (counted !== undefined) counted.bytes = bytes.length
  },
})
