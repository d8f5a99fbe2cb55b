// @ts-check
/** Fault: a pattern is looked for in each chunk by itself. */
import { serve } from "../control/Server.mjs"
import * as Wait from "../control/Wait.mjs"

serve({
  find: (entry, stream, condition, after) =>
    entry.chunks
      .map((chunk) => Wait.find({ ...entry, chunks: [chunk] }, stream, condition, after))
      .find((match) => match !== undefined),
})
