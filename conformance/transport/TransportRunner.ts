/** Runs the transport suite without a test framework. */
import { playAll, type Outcome, type PlayOptions } from "../seam/SeamRunner.ts"
import { select, type Choice } from "../seam/SeamCase.ts"
import { subject, type Pair, type Raw } from "./TransportContext.ts"
import { cases } from "./cases/index.ts"

/** Which cases to run, and how. */
export interface Options extends Choice, PlayOptions {
  /** One end of the same transport whose peer the suite plays, byte by byte. */
  readonly raw?: Raw
}

/** Runs the chosen cases on pairs made by `pair`. Rejects only if a glob matches no case. */
export const run = async (pair: Pair, options: Options = {}): Promise<ReadonlyArray<Outcome>> => {
  const chosen = select(cases, options)
  if (chosen.unknown.length > 0) throw new Error(`no case matches ${chosen.unknown.join(", ")}`)
  return playAll(chosen.cases, subject(pair, options.raw), options)
}
