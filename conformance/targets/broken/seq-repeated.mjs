// @ts-check
/** Fault: the second event of a process has the seq of the first. */
import { serve } from "../control/Server.mjs"

serve({ seq: (entry) => Math.max(1, entry.next++ - 1) })
