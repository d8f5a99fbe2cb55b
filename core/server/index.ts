/**
 * The server: JSON-RPC connections over sessions of processes, files and HTTP.
 *
 * It is pure: what it needs of a runtime are services, for which `procwire/node`, `procwire/bun` and `procwire/deno`
 * have layers: `Spawner`, `Files`, `HttpClient`, `Host` and `SessionIds`.
 *
 * @module
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ExecServer } from "procwire/effect/server"
 * import { SessionRegistry } from "procwire/effect/session"
 * import { Memory } from "procwire/effect/transport"
 *
 * // The client's end of a connection to a new server.
 * export const connect = Effect.gen(function* () {
 *   const server = yield* ExecServer.make({ ...SessionRegistry.defaultOptions, version: "1.0.0" })
 *   const [client, peer] = yield* Memory.makePair()
 *   yield* Effect.forkScoped(server.serve(peer))
 *   return client
 * })
 * ```
 */
export * as AuditEvent from "./audit/AuditEvent.ts"
export * as AuditLog from "./audit/AuditLog.ts"
export * as EnvironmentInfo from "./EnvironmentInfo.ts"
export * as ExecServer from "./ExecServer.ts"
export * as HistoryFiles from "../features/history/HistoryFiles.ts"
export * as Terminals from "../features/screen/Terminals.ts"
export * as FairSender from "./FairSender.ts"
export * as Handshake from "./Handshake.ts"
export * as Notifier from "./Notifier.ts"
export * as Tracing from "./Tracing.ts"
export * as WireError from "./WireError.ts"
