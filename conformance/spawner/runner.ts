/**
 * The spawner suite without vitest: its cases and a plain runner.
 *
 * @module
 * @example
 * ```ts
 * import { SpawnerRunner } from "procwire/conformance/spawner/runner"
 * import { layerSpawner } from "procwire/node"
 *
 * const outcomes = await SpawnerRunner.run(layerSpawner)
 * console.log(outcomes.filter(({ status }) => status === "fail"))
 * ```
 */
export { SpawnedChild, type ChildOptions } from "./SpawnedChild.ts"
export * as SpawnerContext from "./SpawnerContext.ts"
export { cases } from "./cases/index.ts"
export * as SeamCase from "../seam/SeamCase.ts"
export * as SeamRunner from "../seam/SeamRunner.ts"
export * as SpawnerRunner from "./SpawnerRunner.ts"
