/** Runs the directory suite without a test framework. */
import { playAll, type Outcome, type PlayOptions } from "../seam/SeamRunner.ts"
import { select, type Choice } from "../seam/SeamCase.ts"
import { subject, type Make } from "./DirectoryContext.ts"
import { cases } from "./cases/index.ts"

/** Which cases to run, and how. */
export interface Options extends Choice, PlayOptions {}

/** Runs the chosen cases on directories made by `make`. Rejects only if a glob matches no case. */
export const run = async (make: Make, options: Options = {}): Promise<ReadonlyArray<Outcome>> => {
  const chosen = select(cases, options)
  if (chosen.unknown.length > 0) throw new Error(`no case matches ${chosen.unknown.join(", ")}`)
  return playAll(chosen.cases, subject(make), options)
}
