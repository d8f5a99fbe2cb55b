// @ts-check
/** Fault: what was read once is gone. */
import { serve } from "../control/Server.mjs"

serve({ after: (entry, seq) => entry.chunks.splice(0).filter((chunk) => chunk.seq > seq) })
