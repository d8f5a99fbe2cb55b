// @ts-check
/** Fault: terminate kills the process and not its group. */
import { serve } from "../control/Server.mjs"

serve({
  kill: (entry, signal) => process.kill(signal === "SIGKILL" ? entry.child.pid : -entry.child.pid, signal),
})
