export * as SpawnError from "./SpawnError.ts"
export * as Spawner from "./Spawner.ts"
