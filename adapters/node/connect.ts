/**
 * One call to a client on Node: over a WebSocket URL, over the stdio of a command, or to a server in this
 * process with real children.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Client from "../../core/client/Client.ts"
import type * as ExecClient from "../../core/client/ExecClient.ts"
import * as ExecServer from "../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../core/session/SessionRegistry.ts"
import type { Transport, TransportError } from "../../core/transport/Transport.ts"
import * as CommandTransport from "../shared/CommandTransport.ts"
import { version } from "../shared/cli/Version.ts"
import * as Connect from "../shared/Connect.ts"
import * as NodeHost from "../shared/NodeHost.ts"
import { layerSpawner } from "./NodeSpawner.ts"
import * as WebSocketClient from "./WebSocketClient.ts"

/** Where the server is. */
export type Target =
  /** `ws://127.0.0.1:7000`; `headers` go with the upgrade, such as `authorization`. */
  | ({ readonly url: string } & WebSocketClient.Options)
  /** A command whose stdin and stdout are the server's. It ends with the client. */
  | CommandTransport.Options
  /** In this process. Its children end with the client. */
  | { readonly inProcess: true; readonly server?: Partial<ExecServer.Options> }

/**
 * A client of that server. A lost WebSocket is replaced and the session resumed, unless `options.reconnect` is
 * false; the other servers end with their connection.
 */
export const connect = (target: Target, options?: ExecClient.Options): Promise<Client.Client> =>
  Client.connect(open(target), "url" in target ? { reconnect: {}, ...options } : options)

/** The transport alone, for `ExecClient.make`. */
export const open = (target: Target): Effect.Effect<Transport, TransportError, Scope.Scope> => {
  if ("url" in target) return WebSocketClient.connect(target.url, target)
  if ("command" in target) return CommandTransport.connectCommand(target)
  const defaults = {
    ...SessionRegistry.defaultOptions,
    version,
    concurrentRequests: ExecServer.defaultConcurrentRequests,
  }
  const link = Connect.open(
    { kind: "inProcess", options: { ...defaults, ...target.server } },
    WebSocketClient.connect,
  )
  const host = Layer.mergeAll(layerSpawner, NodeHost.layerHost, NodeHost.layerSessionIds)
  return Effect.flatMap(Layer.build(host), (services) => Effect.provide(link, services))
}
