/**
 * The ways to a server: by URL over a WebSocket, a unix socket, TCP or TLS; over the stdio of a command; or to a server
 * in this process.
 *
 * The last links client and server in memory; it is the same server, with real children.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Addresses from "../../core/client/Addresses.ts"
import type { Files } from "../../core/files/Files.ts"
import type { HttpClient } from "../../core/http/HttpClient.ts"
import type * as ExecServer from "../../core/server/ExecServer.ts"
import type { SessionIds } from "../../core/session/SessionIds.ts"
import type { Host } from "../../core/spawn/Host.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import type { Transport, TransportError } from "../../core/transport/Transport.ts"
import * as Lazy from "./Lazy.ts"
import type * as Containment from "./process/contain/Containment.ts"
import type { SpawnerChoice } from "./serve/SpawnerLayer.ts"
import * as CommandTransport from "./transport/CommandTransport.ts"
import * as LazyWebSockets from "./transport/LazyWebSockets.ts"
import * as SocketAddress from "./transport/SocketAddress.ts"
import * as SocketClient from "./transport/SocketClient.ts"
import type * as WebSocketClient from "./transport/WebSocketClient.ts"

/** The place of the server: outside this process, or in it. */
export type Target = RemoteTarget | InProcessTarget

/** A server outside this process: a running one, or a command whose stdin and stdout are the server's. */
export type RemoteTarget = UrlTarget | CommandTransport.Options

/** A running server. `token` and `headers` go with the upgrade of a WebSocket. */
export interface UrlTarget extends WebSocketClient.Options {
  /**
   * `ws://127.0.0.1:7000`, `unix:/run/procwire.sock` or `tcp://127.0.0.1:7000`; `wss://` and `tls://` with `ca`, `cert`
   * and `key` as PEM texts. Of several, which lead to the same sessions, the next one is tried first after a loss.
   */
  readonly url: string | ReadonlyArray<string>
}

/** A server in this process. Its children end with the client. */
export interface InProcessTarget {
  /** Tells it from the other targets. */
  readonly inProcess: true
  /** Overrides the defaults of `procwire serve`. */
  readonly server?: Partial<ExecServer.Options>
  /**
   * The spawner: a layer over the spawner of the runtime, a plain object, or names as those of `--spawner`.
   * The default is the spawner of the runtime, with bubblewrap if it is there.
   */
  readonly spawner?: SpawnerChoice | undefined
  /**
   * The bond of a process and its descendants, so that they end with the client: cgroup, subreaper, none (its
   * group only), or auto: cgroup where that works, else none. Default: auto.
   */
  readonly contain?: Containment.Choice | undefined
}

/** The services of a server in this process. */
export type Services = Spawner | Files | SessionIds | Host | HttpClient

/** A transport to the server that `target` names; it lives as long as the scope. */
export const open = (target: Target): Effect.Effect<Transport, TransportError, Services | Scope.Scope> =>
  "inProcess" in target
    ? Lazy.use(
        () => import("./InProcess.ts"),
        ({ open }) => open(target.server),
      )
    : openRemote(target)

/** A transport to a server outside this process; each use of it takes the next of several addresses. */
export const openRemote = (target: RemoteTarget): Effect.Effect<Transport, TransportError, Scope.Scope> => {
  if ("command" in target) return CommandTransport.connectCommand(target)
  const [first = "", ...others] = [target.url].flat()
  const way = (url: string) => {
    const address = SocketAddress.parse(url)
    return address === undefined ? LazyWebSockets.connect(url, target) : SocketClient.connect(address, target)
  }
  return Addresses.inTurn([way(first), ...others.map(way)])
}
