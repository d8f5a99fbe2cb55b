/**
 * procwire for programs in Effect, on Node, Bun and Deno: everything of core, transports to servers, and servers and
 * spawners as layers. It needs the package `effect`, which procwire does not install.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ExecClient, open } from "procwire/effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* ExecClient.make(open({ inProcess: true }))
 *   const process = yield* client.start({ argv: ["uname", "-a"] })
 *   return yield* process.exitCode
 * }).pipe(Effect.scoped)
 * ```
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "../shared/HostPlatform.ts"

export type { Program } from "../shared/Program.ts"
export * from "../../core/index.ts"
export * from "../shared/serve/effect.ts"
export { layerSpawner } from "../shared/HostPlatform.ts"

const program = Program.make(platform)

/** Opens the transport to a server, for `ExecClient.make`. */
export const open: Program.Program["open"] = program.open

/** A server in this program, with the options of `procwire serve` and a few more. It ends with its scope. */
export const makeServer: Program.Program["makeServer"] = program.makeServer

/** The same as a layer. */
export const layerServer: Program.Program["layerServer"] = program.layerServer
