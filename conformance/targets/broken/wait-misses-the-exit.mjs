// @ts-check
/** Fault: a read that waits is woken by output and by closed, not by exited. */
import { serve } from "../control/Server.mjs"

serve({ wakes: (entry, seq) => entry.chunks.some((chunk) => chunk.seq > seq) })
