/** Plays seeds that never change, as `npm run sim` does: bundled, which takes half of the time. */
import { test } from "vitest"
import { fixed } from "../../simulation/Fixed.ts"
import { expectNoFailure, partsOf } from "./Lab.ts"

const failed = partsOf(fixed)

/** Twenty that never failed: some of each kind of program. */
const others = [
  { mix: "sessions,files,http,agents", from: 1001, seeds: 8 },
  { mix: "sessions,viewers", from: 1001, seeds: 3 },
  { mix: "sessions,writers", from: 1001, seeds: 3 },
  { mix: "drills", from: 1001, seeds: 2 },
  { mix: "waits", from: 1001, seeds: 2 },
  { mix: "records", from: 1001, seeds: 2 },
]

/** One computation, which nothing can time out from within: where nothing else runs it takes a quarter of a minute. */
const timeout = 1_200_000

test(
  `every invariant holds for ${failed.length} seeds that once failed, and for 20 others`,
  { timeout },
  () => expectNoFailure([...failed, ...others]),
)
