/**
 * Clients of procwire and of every server that speaks the Codex `exec-server` wire: `ExecClient` as effects, `Client`
 * as promises. `connect` of `procwire/node` and its siblings opens the transport as well.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
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
export type { Attachment } from "./Attaching.ts"
export type { Call, Encoded } from "./Calls.ts"
export * as Activity from "./Activity.ts"
export * as Asciicast from "./asciicast/index.ts"
export * as Client from "./Client.ts"
export * as ClientError from "./ClientError.ts"
export * as ClientFiles from "./ClientFiles.ts"
export * as ClientHttp from "./ClientHttp.ts"
export * as Delivery from "../features/receipt/client.ts"
export * as Dialects from "./Dialects.ts"
export type { Pull, Subscription } from "./EventFeed.ts"
export * as ExecClient from "./ExecClient.ts"
export type { RemoteFile } from "./FileBlocks.ts"
export type { Watch } from "./FileWatch.ts"
export * as Lists from "./Lists.ts"
export * as ProcessEvent from "./ProcessEvent.ts"
export type { RoleSubscription } from "./ProcessFollower.ts"
export type { ProcessStarter, Subscribed } from "./ProcessStarter.ts"
export * as Reconnect from "./Reconnect.ts"
export * as ReconnectPolicy from "./ReconnectPolicy.ts"
export * as RemoteFiles from "./RemoteFiles.ts"
export * as RemoteHttp from "./RemoteHttp.ts"
export * as RemoteProcess from "./RemoteProcess.ts"
export * as StartOptions from "./StartOptions.ts"
export type * from "./types.ts"
export * as V0Client from "./v0/V0Client.ts"
export * as V0ExecClient from "./v0/V0ExecClient.ts"
export * as V0Process from "./v0/V0ExecClient.ts"
