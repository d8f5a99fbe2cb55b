// @ts-check
/** Fault: a mark whose bytes come in two chunks is not told. */
import { serve } from "../control/Server.mjs"

serve({
  scanned: (scan) => {
    scan.held = Buffer.alloc(0)
  },
})
