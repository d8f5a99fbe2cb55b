// @ts-check
/** Fault: every other write reaches the process a little later. */
import { serve } from "../control/Server.mjs"

let count = 0

serve({
  input: ({ child }, bytes, done) => setTimeout(() => child.stdin.write(bytes, done), (count++ % 2) * 20),
})
