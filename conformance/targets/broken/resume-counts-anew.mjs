// @ts-check
/** Fault: after a resume the seqs of a process begin again at 1. */
import { serve } from "../control/Server.mjs"

serve({
  resumed: ({ processes }) => {
    for (const entry of processes.values()) entry.next = 1
  },
})
