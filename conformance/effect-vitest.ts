/**
 * The suites for spawners and for transports as vitest tests: one test for each case.
 *
 * @module
 * @example
 * ```ts
 * import { Memory, layerSpawner } from "procwire/effect"
 * import { SpawnerSuite, TransportSuite } from "procwire/effect/conformance/vitest"
 *
 * SpawnerSuite.suite("my spawner", layerSpawner)
 * TransportSuite.suite("my transport", Memory.makePair())
 * ```
 */
export * as SpawnerSuite from "./spawner/SpawnerSuite.ts"
export * as TransportSuite from "./transport/TransportSuite.ts"
