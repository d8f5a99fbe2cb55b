/**
 * procwire for programs in Effect, on Deno, with the names of `procwire/effect` on Node.
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export type { Program } from "../shared/Program.ts"
export * from "../../core/index.ts"
export * from "../shared/serve/effect.ts"
export { layerSpawner } from "./DenoSpawner.ts"

const program = Program.make(platform)

/** Opens the transport to a server, for `ExecClient.make`. */
export const open: Program.Program["open"] = program.open

/** A server in this program, with the options of `procwire serve` and a few more. It ends with its scope. */
export const makeServer: Program.Program["makeServer"] = program.makeServer

/** The same as a layer. */
export const layerServer: Program.Program["layerServer"] = program.layerServer
