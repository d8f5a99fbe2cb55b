/**
 * The spawner suite: its cases, a plain runner, and its vitest form, which needs vitest.
 *
 * @module
 * @example
 * ```ts
 * import { SpawnerSuite } from "procwire/conformance/spawner"
 * import { layerSpawner } from "procwire/node"
 *
 * SpawnerSuite.suite("my spawner", layerSpawner)
 * ```
 */
export * from "./runner.ts"
export * as SpawnerSuite from "./SpawnerSuite.ts"
