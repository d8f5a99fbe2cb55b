/** The spawner suite on Node's own spawner, which can do everything. */
import { expect, test } from "vitest"
import * as SpawnerSuite from "../../conformance/spawner/SpawnerSuite.ts"
import { layerSpawner } from "./NodeSpawner.ts"
import { spawner } from "./testing/Node.ts"

test("the spawner of Node declares every capability", () => {
  expect(Object.values(spawner.capabilities).every(Boolean)).toBe(true)
})

SpawnerSuite.suite("Node's spawner", layerSpawner)
