/**
 * Spawners for `serve` and `connect`: an object in plain JavaScript, or a command that starts the program it is given.
 *
 * @example
 * ```ts
 * import { serve } from "procwire/runtime"
 * import { wrap } from "procwire/sandbox"
 *
 * const spawner = wrap((spec) => ({ ...spec, argv: ["nice", "-n", "5", ...spec.argv] }))
 * const server = await serve({ listen: "ws://127.0.0.1:0", spawner })
 * await server.close()
 * ```
 *
 * @module
 */
export type { Access, Confinement, Place } from "../../core/protocol/Confinement.ts"
export type { PlainChild, PlainSpawner } from "../../core/spawn/PlainSpawner.ts"
export type {
  Capabilities,
  ExitStatus,
  SpawnEvents,
  SpawnSpec,
  Stdio,
  TerminalSize,
} from "../../core/spawn/Spawner.ts"
export { defineSpawner } from "./DefineSpawner.ts"
export { layerWrap as wrap, type WrapOptions } from "./Wrap.ts"
