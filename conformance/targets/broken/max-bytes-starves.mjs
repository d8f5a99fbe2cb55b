// @ts-check
/** Fault: a read whose maxBytes is less than the first chunk returns nothing. */
import { serve } from "../control/Server.mjs"

serve({
  page: (chunks, maxBytes) => {
    let room = maxBytes
    return chunks.filter(({ bytes }) => (room -= bytes.length) >= 0)
  },
})
