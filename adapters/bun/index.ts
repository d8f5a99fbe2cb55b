/**
 * procwire for programs on Bun. `procwire/node`, `procwire/bun` and `procwire/deno` export the same names.
 *
 * @example
 * ```ts
 * import { connect, serve } from "procwire/bun"
 *
 * const client = await connect({ inProcess: true })
 * const child = await client.start({ argv: ["echo", "hello"] })
 * for await (const bytes of child.output()) process.stdout.write(bytes)
 * await client.close()
 *
 * const server = await serve({ listen: "ws://127.0.0.1:7000", limits: { processes: 100 } })
 * await server.close({ graceMs: 5000 })
 * ```
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export type {
  CommandOptions,
  InProcessTarget,
  Program,
  RemoteTarget,
  Target,
  ToClient,
  UrlOptions,
  UrlTarget,
} from "../shared/Program.ts"
export type { Client, ClientProcess } from "../../core/client/Client.ts"
export { ClientError } from "../../core/client/ClientError.ts"
export type { ClientReason } from "../../core/client/ClientError.ts"
export type { ErrorKind } from "../../core/protocol/ErrorCode.ts"
export type { ClientFile, ClientFiles } from "../../core/client/ClientFiles.ts"
export type { ClientHttp, ClientHttpStream } from "../../core/client/ClientHttp.ts"
export type { Command, Dollar, DollarOptions } from "../../core/client/command/Command.ts"
export type { CurrentOptions as ConnectOptions, V0Options } from "../../core/client/Dialects.ts"
export type { ProcessEvent } from "../../core/client/ProcessEvent.ts"
export type { CallOptions, Signal } from "../../core/client/GivingUp.ts"
export type { Input } from "../../core/client/Input.ts"
export type { Result } from "../../core/client/Result.ts"
export type { RunOptions } from "../../core/client/RunOptions.ts"
export type { StartOptions } from "../../core/client/StartOptions.ts"
export * from "../shared/serve/index.ts"
export { layerSpawner } from "./BunSpawner.ts"

const program = Program.make(platform)

/** Connects a client to a server: over a URL, to a command's stdio, or in this process. */
export const connect: Program.Program["connect"] = program.connect

/** Opens the transport alone, for `ExecClient.make`. */
export const open: Program.Program["open"] = program.open

/** Starts a server in this program, with the options of `procwire serve` and a few more. */
export const serve: Program.Program["serve"] = program.serve

/** The same as an effect, which ends with its scope. */
export const makeServer: Program.Program["makeServer"] = program.makeServer

/** The same as a layer. */
export const layerServer: Program.Program["layerServer"] = program.layerServer
