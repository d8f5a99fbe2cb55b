// @ts-check
/** Fault: an answer has the begin of the output, and no end. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({
  printed: (entry, after, most) => {
    const { tail, ...rest } = Wait.output(entry, after, most)
    return { ...rest, tail: [], omittedBytes: rest.omittedBytes + tail.length }
  },
})
