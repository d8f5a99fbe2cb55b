// @ts-check
/** Fault: the id of a process that has exited can be used again. */
import { serve } from "../control/Server.mjs"

serve({ taken: (entry) => entry !== undefined && entry.exitCode === null })
