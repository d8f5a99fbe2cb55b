// @ts-check
/** Fault: output that was printed before a wait does not count. */
import { serve } from "../control/Server.mjs"

serve({ waitsAfter: (after, entry) => Math.max(after, entry.next - 1) })
