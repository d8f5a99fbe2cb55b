/** Registers the transport suite with vitest. */
import { register, type SuiteOptions as SeamOptions } from "../seam/SeamVitest.ts"
import { subject, type Pair, type Raw } from "./TransportContext.ts"
import { cases } from "./cases/index.ts"

/** Which cases to register, and how. */
export interface SuiteOptions extends SeamOptions {
  /** One end of the same transport whose peer the suite plays, byte by byte. */
  readonly raw?: Raw
}

/** Registers a test for each case, on pairs made by `pair`. */
export const suite = (name: string, pair: Pair, { raw, ...options }: SuiteOptions = {}): void =>
  register(name, cases, async () => ({ ...subject(pair, raw), close: async () => {} }), options)
