/** Credit on the wire: `credit` of a start, and `process/credit`. */
import * as Shape from "../../protocol/shape/index.ts"
import { U53 } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

/**
 * With the capability `processCredit`: the server may push so many more bytes of output of this process (decoded, and
 * a chunk counts as 64 at least) on this connection. A process is under credit if its start, or the `initialize` that
 * resumed its session, names one, or from its first `process/credit` on. A chunk that does not fit in what is left
 * waits, with everything behind it; `process/read` is free.
 */
export const CreditParams = Shape.struct("CreditParams", {
  processId: Shape.string,
  /** So many more bytes of output may be pushed. */
  bytes: U53,
})

/** The wire of the feature. */
export const credit = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `credit` of `process/start` and `initialize`, and `process/credit`. */
    processCredit: Shape.boolean,
  },
  startFields: {
    /** With the capability `processCredit`: see `CreditParams`. At least 65,536, the largest chunk; absent is no bound. */
    credit: Shape.beyond(U53),
  },
  requests: {
    "process/credit": request({
      params: CreditParams,
      result: Shape.nothing("CreditResponse"),
      family: "exec",
      slotted: false,
      says: "lets more output of one process be pushed (beyond the peer; capability processCredit)",
    }),
  },
})
