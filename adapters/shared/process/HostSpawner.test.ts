/** The spawner suite on the spawner of the runtime that runs it, which can do everything but confine. */
import { expect, test } from "vitest"
import * as SpawnerSuite from "../../../conformance/spawner/SpawnerSuite.ts"
import { name, platform, spawner } from "../../testing/Runtime.ts"

test("the spawner declares every capability but that of a sandbox", () => {
  const { confine, ...others } = spawner.capabilities
  expect(Object.values(others).every(Boolean)).toBe(true)
  expect(confine).toBe(false)
})

// Those that start many children are played by `npm run lab -- support --check`, as all the others are.
const repeated = [
  "spawner/output/no-byte-lost-*",
  "spawner/output/of-a-descendant-arrives-on-a-pty",
  "spawner/events/none-before-spawn-has-succeeded",
  "spawner/load/**",
]

SpawnerSuite.suite(`the spawner of ${name}`, platform.layerSpawner, { except: repeated })
