/**
 * Spawners around another spawner: bubblewrap, or any command that starts the program it is given.
 *
 * @example
 * ```ts
 * import { layerSpawner } from "procwire/node"
 * import { layerWrap } from "procwire/sandbox"
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
export { layer as layerBubblewrap, type Options as BubblewrapOptions } from "../shared/confine/Bubblewrap.ts"
export { find as findProgram } from "../shared/process/ProgramLookup.ts"
export { layerWrap, type WrapOptions } from "./Wrap.ts"
