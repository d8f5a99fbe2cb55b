// @ts-check
/** Fault: output that ends within a line counts as a question. */
import { serve } from "../control/Server.mjs"

serve({
  asker: ({ child, chunks }) => {
    const last = chunks.at(-1)?.bytes.at(-1)
    return last === undefined || last === 10 ? undefined : { pid: child.pid, from: "stdin" }
  },
})
