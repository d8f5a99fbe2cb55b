// @ts-check
/** Fault: the times of a receipt are in seconds. */
import { serve } from "../control/Server.mjs"

serve({
  receipt: (receipt) => ({
    ...receipt,
    startedAtMs: Math.round(receipt.startedAtMs / 1000),
    endedAtMs: Math.round(receipt.endedAtMs / 1000),
  }),
})
