/**
 * Clients of procwire and of every server that speaks the Codex `exec-server` wire: `ExecClient` as effects, `Client`
 * as promises. `connect` of `procwire/node` and its siblings opens the transport as well.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
 * import { ExecClient } from "procwire/effect/client"
 * import { open } from "procwire/effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* ExecClient.make(open({ url: "ws://127.0.0.1:7000" }), { reconnect: {} })
 *   const build = yield* client.start({ argv: ["make"], cwd: "/srv/project" })
 *   return yield* build.exitCode
 * }).pipe(Effect.scoped)
 * ```
 *
 * @module
 */
export type { Call, Calls, Encoded, Params } from "./Calls.ts"
export * as Activity from "./Activity.ts"
export * as Asciicast from "./asciicast/index.ts"
export * as Client from "./Client.ts"
export * as ClientError from "./ClientError.ts"
export * as ClientFiles from "./ClientFiles.ts"
export * as ClientHttp from "./ClientHttp.ts"
export type { Command, Dollar, DollarOptions } from "./command/Command.ts"
export type { Argument, Value } from "./command/Words.ts"
export type * from "../features/ClientTypes.ts"
export * as Delivery from "../features/receipt/client.ts"
export * as Dialects from "./Dialects.ts"
export type { Subscription } from "./EventFeed.ts"
export * as ExecClient from "./ExecClient.ts"
export type { RemoteFile } from "./FileBlocks.ts"
export type { Watch } from "./FileWatch.ts"
export type { Input, InputBlob, InputFile, InputReadable } from "./Input.ts"
export * as Lists from "./Lists.ts"
export * as ProcessEvent from "./ProcessEvent.ts"
export type { Attachment, AttachOptions, AttachTarget } from "./Attaching.ts"
export type { PolicyAnswer } from "../features/egress/Question.ts"
export type { OnPolicyRequest, PolicyReply, PolicyRequest } from "./Policy.ts"
export type { ProcessStarter, Subscribed } from "./ProcessStarter.ts"
export * as Reconnect from "./Reconnect.ts"
export * as ReconnectPolicy from "./ReconnectPolicy.ts"
export * as RemoteFiles from "./RemoteFiles.ts"
export * as RemoteHttp from "./RemoteHttp.ts"
export * as RemoteProcess from "./RemoteProcess.ts"
export type { Content, Encoding, Result } from "./RunResult.ts"
export type { RetryOptions } from "./RunResult.ts"
export type { RunOptions } from "./RunOptions.ts"
export type { OutputFile, OutputTo, StdioOptions } from "./Stdio.ts"
export * as StartOptions from "./StartOptions.ts"
export type { LineOptions } from "./TextLines.ts"
export type {
  ByteReader,
  ByteWriter,
  ReadableBytes,
  ReadableStream,
  StreamReader,
  StreamWriter,
  WritableBytes,
  WritableStream,
} from "./ByteStreams.ts"
export type { Pull } from "./EventFeed.ts"
export type { RoleSubscription } from "./ProcessFollower.ts"
export * as V0Client from "./v0/V0Client.ts"
export * as V0ExecClient from "./v0/V0ExecClient.ts"
export * as V0Process from "./v0/V0ExecClient.ts"
