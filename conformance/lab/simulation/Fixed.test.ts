/** Plays seeds that never change, as `npm run sim` does: bundled, which takes half of the time. */
import { test } from "vitest"
import { fixed } from "../../simulation/Fixed.ts"
import { expectNoFailure, partsOf } from "./Lab.ts"

const failed = partsOf(fixed)

/** Twenty that never failed: some of each kind of program, fewest of those that take ten times as long as others. */
const others = [
  { mix: "sessions,files,http,agents", from: 1001, seeds: 4 },
  { mix: "sessions,viewers", from: 1001, seeds: 2 },
  { mix: "sessions,writers", from: 1001, seeds: 2 },
  { mix: "drills", from: 1001, seeds: 5 },
  { mix: "waits", from: 1001, seeds: 4 },
  { mix: "records", from: 1001, seeds: 3 },
]

/** One computation, which nothing can time out from within: where nothing else runs it takes a quarter of a minute. */
const timeout = 1_200_000

test(
  `every invariant holds for ${failed.length} seeds that once failed, and for 20 others`,
  { timeout },
  () => expectNoFailure([...failed, ...others]),
)
