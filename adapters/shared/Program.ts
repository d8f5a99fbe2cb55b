/**
 * One call to a client: over a WebSocket, a unix socket or TCP, over the stdio of a command, or to a
 * server in this process with real children.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Dialects from "../../core/client/Dialects.ts"
import type * as ExecServer from "../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../core/session/SessionRegistry.ts"
import type * as Client from "../../core/client/Client.ts"
import type * as V0Client from "../../core/client/v0/V0Client.ts"
import type { Transport, TransportError } from "../../core/transport/Transport.ts"
import * as CommandTransport from "./transport/CommandTransport.ts"
import { version } from "./Version.ts"
import * as Connect from "./Connect.ts"
import type { Platform } from "./Platform.ts"
import type * as WebSocketClient from "./transport/WebSocketClient.ts"
import * as ServerServices from "./ServerServices.ts"

/** Where the server is. */
export type Target =
  /**
   * `ws://127.0.0.1:7000`, `unix:/run/procwire.sock` or `tcp://127.0.0.1:7000`; `wss://` and `tls://` with `ca`, `cert`
   * and `key` as PEM texts. `token` and `headers` go with the upgrade of a WebSocket.
   */
  | ({ readonly url: string } & WebSocketClient.Options)
  /** A command whose stdin and stdout are the server's. It ends with the client. */
  | CommandTransport.Options
  /** In this process. Its children end with the client. */
  | { readonly inProcess: true; readonly server?: Partial<ExecServer.Options> }

export interface Program {
  /**
   * A client of that server. A lost connection to a URL is replaced and the session resumed, unless
   * `options.reconnect` is false; the other servers end with their connection. With the dialect `v0`, the client is
   * one of the first version of the wire, which resumes nothing.
   */
  readonly connect: ToClient
  /** The transport alone, for `ExecClient.make`. */
  readonly open: (target: Target) => Effect.Effect<Transport, TransportError, Scope.Scope>
}

export interface ToClient {
  (target: Target, options: Dialects.V0Options): Promise<V0Client.V0Client>
  (target: Target, options?: Dialects.CurrentOptions): Promise<Client.Client>
}

/** The calls on this runtime. */
export const make = (platform: Platform): Program => {
  const open = (target: Target) => {
    if ("url" in target) return Connect.openUrl(target.url, target)
    if ("command" in target) return CommandTransport.connectCommand(target)
    const defaults = {
      ...SessionRegistry.defaultOptions,
      version,
    }
    const link = Connect.open({ kind: "inProcess", options: { ...defaults, ...target.server } })
    return Effect.flatMap(Layer.build(ServerServices.layer(platform)), (services) =>
      Effect.provide(link, services),
    )
  }
  // Each client takes of the options what it knows.
  const connect = (target: Target, options?: Dialects.CurrentOptions) =>
    Dialects.connect(open(target), "url" in target ? { reconnect: {}, ...options } : options)
  return { open, connect: connect as ToClient }
}
