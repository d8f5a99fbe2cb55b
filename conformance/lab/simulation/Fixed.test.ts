/** Plays the seeds that once failed, as `npm run sim` does: bundled, which takes half of the time. */
import { expect, test } from "vitest"
import { fixed } from "../../../core/simulation/Fixed.ts"
import { bundle, playSeeds } from "./Lab.ts"

const parts = Object.entries(fixed).flatMap(([mix, seeds]) => seeds.map((from) => ({ mix, from, seeds: 1 })))

// It computes for half a minute where nothing else does.
test(`every invariant holds for ${parts.length} seeds that once failed`, { timeout: 1_200_000 }, async () => {
  const said: Array<string> = []
  const request = { file: await bundle(), command: [process.execPath] as const, parts, jobs: 1, minutes: 1 }
  expect(await playSeeds(request, (text) => said.push(text)), said.join("")).toBe(true)
  expect(said.map((text) => text.slice(0, text.indexOf(":")))).toEqual(
    parts.map(({ from }) => `seeds ${from} to ${from} ok`),
  )
})
