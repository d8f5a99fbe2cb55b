/** The spawner suite: the cases, a plain runner, and the suite for vitest, which it needs. */
export * from "./runner.ts"
export * as SpawnerSuite from "./SpawnerSuite.ts"
