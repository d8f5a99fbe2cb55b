/** The spawner suite: the cases, a plain runner, and the suite for vitest. */
export * as Bench from "./Bench.ts"
export { cases } from "./cases/index.ts"
export * as SeamCase from "./SeamCase.ts"
export * as SeamRunner from "./SeamRunner.ts"
export * as SpawnerRunner from "./SpawnerRunner.ts"
export * as SpawnerSuite from "./SpawnerSuite.ts"
