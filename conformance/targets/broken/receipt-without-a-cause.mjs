// @ts-check
/** Fault: a process that was terminated is told to have died of a signal. */
import { serve } from "../control/Server.mjs"

serve({ endedBy: (_, signal) => (signal === null ? "exit" : "signal") })
