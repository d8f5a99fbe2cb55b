/**
 * The ways to a server: over a WebSocket, a unix socket, TCP or TLS by its URL, over the stdio of a command, or one in
 * this process.
 *
 * The third links client and server in memory; it is the same server, over real children.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Files } from "../../core/files/Files.ts"
import type { HttpClient } from "../../core/http/HttpClient.ts"
import * as ExecServer from "../../core/server/ExecServer.ts"
import type { SessionIds } from "../../core/session/SessionIds.ts"
import type { Host } from "../../core/spawn/Host.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import * as Memory from "../../core/transport/Memory.ts"
import type { Transport, TransportError } from "../../core/transport/Transport.ts"
import * as CommandTransport from "./transport/CommandTransport.ts"
import * as SocketAddress from "./transport/SocketAddress.ts"
import * as SocketClient from "./transport/SocketClient.ts"
import type * as WebSocketClient from "./transport/WebSocketClient.ts"
import * as LazyWebSockets from "./transport/LazyWebSockets.ts"

export type Target =
  | { readonly kind: "url"; readonly url: string; readonly options?: WebSocketClient.Options }
  | ({ readonly kind: "command" } & CommandTransport.Options)
  | { readonly kind: "inProcess"; readonly options: ExecServer.Options }

/** A transport to the server that `target` names; it lives as long as the scope. */
export const open = (
  target: Target,
): Effect.Effect<
  Transport,
  TransportError,
  Spawner | Files | SessionIds | Host | HttpClient | Scope.Scope
> => {
  switch (target.kind) {
    case "url":
      return openUrl(target.url, target.options)
    case "command":
      return CommandTransport.connectCommand(target)
    case "inProcess":
      return Effect.gen(function* () {
        const server = yield* ExecServer.make(target.options)
        const [client, peer] = yield* Memory.makePair()
        yield* Effect.forkScoped(Effect.scoped(server.serve(peer)))
        return client
      })
  }
}

/** What an address begins with, and what follows in a well-formed one. */
const webSocketUrl = /^wss?:\/\/[^/]/

/** True for an address that `openUrl` can take. */
export const isUrl = (text: string): boolean =>
  webSocketUrl.test(text) || SocketAddress.parse(text) !== undefined

/** A transport to `ws://HOST:PORT`, `wss://…`, `tcp://HOST:PORT`, `tls://…` or `unix:PATH`. */
export const openUrl = (
  url: string,
  options: WebSocketClient.Options = {},
): Effect.Effect<Transport, TransportError, Scope.Scope> => {
  const address = SocketAddress.parse(url)
  return address === undefined ? LazyWebSockets.connect(url, options) : SocketClient.connect(address, options)
}
