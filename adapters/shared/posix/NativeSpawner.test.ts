/** The spawner suite on the spawner of the runtime that runs it, which can do everything. */
import { expect, test } from "vitest"
import * as SpawnerSuite from "../../../conformance/spawner/SpawnerSuite.ts"
import { name, platform, spawner } from "../../testing/Runtime.ts"

test("the spawner declares every capability", () => {
  expect(Object.values(spawner.capabilities).every(Boolean)).toBe(true)
})

SpawnerSuite.suite(`the spawner of ${name}`, platform.layerSpawner)
