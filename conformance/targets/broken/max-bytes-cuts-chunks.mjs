// @ts-check
/** Fault: a read with maxBytes returns exactly so many bytes, the last chunk cut. */
import { serve } from "../control/Server.mjs"

serve({
  page: (chunks, maxBytes) => {
    let room = maxBytes
    return chunks.flatMap((chunk) => {
      const bytes = chunk.bytes.subarray(0, room)
      room -= bytes.length
      return bytes.length === 0 ? [] : [{ ...chunk, bytes, chunk: bytes.toString("base64") }]
    })
  },
})
