// @ts-check
/** Fault: no event has the seq 2. */
import { serve } from "../control/Server.mjs"

serve({ seq: (entry) => (entry.next === 2 ? (entry.next = 4) - 1 : entry.next++) })
