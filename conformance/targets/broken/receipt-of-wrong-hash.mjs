// @ts-check
/** Fault: a receipt has the hash of the output as text: bytes that are no UTF-8 are replaced. */
import { parts } from "../control/Parts.mjs"
import { serve } from "../control/Server.mjs"

serve({
  written: (account, stream, seq, bytes) => {
    const text = Buffer.from(bytes.toString("utf8"))
    parts.written(account, stream, seq, text)
    const counted = account.streams[stream]
    if (counted !== undefined) counted.bytes += bytes.length - text.length
  },
})
