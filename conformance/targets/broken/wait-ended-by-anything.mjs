// @ts-check
/** Fault: a read that waits is ended by any output, also by what it did not ask for. */
import { serve } from "../control/Server.mjs"

serve({ wakes: (entry, seq) => entry.closed || entry.chunks.length > 0 || entry.exitedSeq > seq })
