/** Runs the transport suite without a test framework. */
import * as SeamRunner from "../seam/SeamRunner.ts"
import { subject, type Need, type Pair, type Raw, type TransportContext } from "./TransportContext.ts"
import { cases } from "./cases/index.ts"

/** Options of the suite beside a pair. */
export interface More {
  /** One end of the same transport whose peer the suite plays, byte by byte. */
  readonly raw?: Raw
}

/** The seam of transports. */
export const seam: SeamRunner.Seam<Pair, More, Need, TransportContext> = {
  cases,
  open: (pair, { raw }) => subject(pair, raw),
}

/** Runs the chosen cases on pairs made by `pair`. Rejects only if a glob matches no case. */
export const run = SeamRunner.runner(seam)
