/** Receipts, on the server. */
import type { Feature } from "../Feature.ts"
import { ReceiptTally } from "./ReceiptTally.ts"
import type { receipt as wire } from "./wire.ts"

export const receipt: Feature<typeof wire> = {
  announces: () => ({ processReceipt: true }),
  extend: (params) =>
    params.receipt === true
      ? (process, services) => {
          const tally = new ReceiptTally(process, services)
          return {
            events: (events) => tally.around(events),
            evicting: (bytes) => tally.evicting(bytes),
            delivered: (seq) => tally.read(seq),
            closing: (settle) => tally.receipt === undefined && (tally.close(settle), true),
            closedFields: () => ({ receipt: tally.receipt }),
            run: tally.run(),
          }
        }
      : undefined,
}
