export * as EnvPolicy from "./EnvPolicy.ts"
export * as Host from "./Host.ts"
export * as SpawnError from "./SpawnError.ts"
export * as Spawner from "./Spawner.ts"
