// @ts-check
/** Fault: terminate sends SIGTERM. */
import { serve } from "../control/Server.mjs"

serve({ kill: (entry, signal) => process.kill(-entry.child.pid, signal === "SIGKILL" ? "SIGTERM" : signal) })
