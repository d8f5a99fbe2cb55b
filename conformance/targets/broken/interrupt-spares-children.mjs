// @ts-check
/** Fault: interrupt signals the process and not its group. */
import { serve } from "../control/Server.mjs"

serve({
  kill: (entry, signal) => process.kill(signal === "SIGINT" ? entry.child.pid : -entry.child.pid, signal),
})
