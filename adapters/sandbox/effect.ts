/**
 * Spawners around another spawner, as layers: bubblewrap, or any command that starts the program it is given; and
 * those with names.
 *
 * @example
 * ```ts
 * import { layerSpawner } from "procwire/effect"
 * import { layerWrap } from "procwire/effect/sandbox"
 * import * as Layer from "effect/Layer"
 *
 * const layerNice = layerWrap((spec) => ({ ...spec, argv: ["nice", "-n", "5", ...spec.argv] })).pipe(
 *   Layer.provide(layerSpawner),
 * )
 * ```
 *
 * @module
 */
export type { Access, Confinement, Place } from "../../core/protocol/Confinement.ts"
export type { PlainChild, PlainSpawner } from "../../core/spawn/PlainSpawner.ts"
export { layer as layerBubblewrap, type Options as BubblewrapOptions } from "../shared/confine/Bubblewrap.ts"
export { find as findProgram } from "../shared/process/ProgramLookup.ts"
export type { BuiltIn, Missing, SpawnerLayer } from "./BuiltIn.ts"
export { builtIns } from "./BuiltIns.ts"
export { layerPlain } from "./DefineSpawner.ts"
export { layerNamed } from "./NamedSpawners.ts"
export { SpawnerProblem } from "./SpawnerProblem.ts"
export { layerWrap, type WrapOptions } from "./Wrap.ts"
