// @ts-check
/** Fault: a read returns the chunk with its afterSeq, too. */
import { serve } from "../control/Server.mjs"

serve({ after: (entry, seq) => entry.chunks.filter((chunk) => chunk.seq >= seq) })
