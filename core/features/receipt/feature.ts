/** Receipts, on the server. */
import * as Effect from "effect/Effect"
import { Hasher } from "../../protocol/Hasher.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { receipt as wire } from "./wire.ts"

const code = Late.make(() => import("./ReceiptTally.ts"))

export const receipt: Stateful<typeof wire> = () =>
  Effect.map(Hasher, (hasher) => ({
    code,
    announces: () => ({ processReceipt: true }),
    extend: (params) =>
      params.receipt === true
        ? ({ process, facts }, { clock }) => {
            const { ReceiptTally } = code.get()
            const tally = new ReceiptTally(process, facts.startedAtMs, { clock, hasher })
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
  }))
