/** The spawner suite for programs that have no vitest: the cases and a plain runner. */
export * as SpawnerContext from "./SpawnerContext.ts"
export { cases } from "./cases/index.ts"
export * as SeamCase from "../seam/SeamCase.ts"
export * as SeamRunner from "../seam/SeamRunner.ts"
export * as SpawnerRunner from "./SpawnerRunner.ts"
