/**
 * The suites for what a server is put together from, without vitest: for spawners and for transports, each with its
 * cases and a runner.
 *
 * @module
 * @example
 * ```ts
 * import { layerSpawner } from "procwire/effect"
 * import { SpawnerRunner } from "procwire/effect/conformance"
 *
 * const outcomes = await SpawnerRunner.run(layerSpawner)
 * console.log(outcomes.filter(({ status }) => status === "fail"))
 * ```
 */
export { cases as spawnerCases } from "./spawner/cases/index.ts"
export { SpawnedChild, type ChildOptions } from "./spawner/SpawnedChild.ts"
export * as SpawnerContext from "./spawner/SpawnerContext.ts"
export * as SpawnerRunner from "./spawner/SpawnerRunner.ts"
export { cases as transportCases } from "./transport/cases/index.ts"
export { End, type Rest } from "./transport/End.ts"
export * as TransportContext from "./transport/TransportContext.ts"
export * as TransportRunner from "./transport/TransportRunner.ts"
export * as SeamCase from "./seam/SeamCase.ts"
export * as SeamRunner from "./seam/SeamRunner.ts"
