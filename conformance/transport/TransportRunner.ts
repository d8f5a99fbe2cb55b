/** The transport suite without a test framework, for a program of one's own. */
import { playAll, type Outcome, type PlayOptions } from "../seam/SeamRunner.ts"
import { select, type Choice } from "../seam/SeamCase.ts"
import { subject, type Pair, type Raw } from "./TransportContext.ts"
import { cases } from "./cases/index.ts"

export interface Options extends Choice, PlayOptions {
  /** One end of the same transport whose peer is played byte by byte. */
  readonly raw?: Raw
}

/** Plays the chosen cases on pairs made by `pair`. Rejects only if a glob fits no case. */
export const run = async (pair: Pair, options: Options = {}): Promise<ReadonlyArray<Outcome>> => {
  const chosen = select(cases, options)
  if (chosen.unknown.length > 0) throw new Error(`no case fits ${chosen.unknown.join(", ")}`)
  return playAll(chosen.cases, subject(pair, options.raw), options)
}
