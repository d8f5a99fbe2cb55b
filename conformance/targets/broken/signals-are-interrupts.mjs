// @ts-check
/** Fault: every name of a signal sends SIGINT. */
import { serve } from "../control/Server.mjs"

serve({ kill: (entry, signal) => process.kill(-entry.child.pid, signal === "SIGKILL" ? signal : "SIGINT") })
