// @ts-check
/** Fault: the signals beyond SIGINT and SIGKILL reach the process and not its group. */
import { serve } from "../control/Server.mjs"

const whole = new Set(["SIGINT", "SIGKILL"])

serve({
  kill: (entry, signal) => process.kill(whole.has(signal) ? -entry.child.pid : entry.child.pid, signal),
})
