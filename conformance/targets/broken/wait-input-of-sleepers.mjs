// @ts-check
/** Fault: a process that sleeps counts as one that waits for input. */
import { readFileSync } from "node:fs"
import { serve } from "../control/Server.mjs"

serve({
  asker: ({ child }) =>
    / S /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"))
      ? { pid: child.pid, from: "stdin" }
      : undefined,
})
