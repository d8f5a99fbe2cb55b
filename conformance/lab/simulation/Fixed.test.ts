/** Plays the seeds that once failed, as `npm run sim` does: bundled, which takes half of the time. */
import { test } from "vitest"
import { fixed } from "../../../core/simulation/Fixed.ts"
import { expectNoFailure } from "./Lab.ts"

const parts = Object.entries(fixed).flatMap(([mix, seeds]) => seeds.map((from) => ({ mix, from, seeds: 1 })))

// It computes for half a minute where nothing else does.
test(`every invariant holds for ${parts.length} seeds that once failed`, { timeout: 1_200_000 }, () =>
  expectNoFailure(parts),
)
