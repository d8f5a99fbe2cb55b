/**
 * Listens for WebSockets at `/`, and answers other HTTP requests as `UpgradeAdmission` says. It uses `node:http` and
 * `ws` on every runtime: the servers of Bun and Deno have no back-pressure for input (see README.md).
 *
 * The port is bound when the layer is built. Closing the layer ends the port and every connection.
 */
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import type { Site, SiteAt } from "./Site.ts"
import * as Sockets from "./Sockets.ts"
import * as SocketAddress from "./SocketAddress.ts"
import type * as UpgradeAdmission from "./UpgradeAdmission.ts"
import * as WebSocketUpgrades from "./WebSocketUpgrades.ts"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as nodeTls from "node:tls"
import * as Tls from "./Tls.ts"

/** The address of a listener for WebSockets, and its rules of admission. */
export interface Options extends Omit<WebSocketUpgrades.Options, "secure" | "elsewhere"> {
  /** A literal address, `127.0.0.1` or `::1`. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The descriptor of a socket that listens there already; it is closed with the listener. */
  readonly fd?: number | undefined
  /** With it the listener speaks TLS only: `wss://`. */
  readonly tls?: Tls.ServerTls
  /** Pages for browsers; the default is none. */
  readonly site?: Site | undefined
}

/** Listens until the scope closes. */
export const make = (options: Options): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, port, fd, tls } = options
    const secure = tls !== undefined
    const scheme = secure ? "wss" : "ws"
    let site: SiteAt | undefined = undefined
    const upgrades = yield* WebSocketUpgrades.make({
      ...options,
      secure,
      elsewhere: (request) => site?.admit(request),
    })
    const track = yield* Sockets.track
    const { server, acceptor } = yield* makeHttp(tls, track, async (request, response) => {
      if (site?.respond(request, response) === true) return
      request.resume()
      const { reply = upgradeRequired } = await upgrades.answer(request)
      const { status, body, headers } = reply
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
      response.end(body)
    })
    server.on("upgrade", (request, socket: Socket, head) => void upgrades.upgrade(request, socket, head))
    const where = fd === undefined ? { host, port } : { fd }
    yield* Effect.acquireRelease(Sockets.listen(acceptor, where, explain(scheme, options)), () =>
      Effect.sync(() => {
        acceptor.close()
        server.closeAllConnections()
      }),
    )

    const bound = acceptor.address() as AddressInfo
    site = options.site?.({ host: bound.address, port: bound.port, secure })
    return {
      address: `${scheme}://${addressOf(bound)}`,
      run: upgrades.run,
      stop: Effect.sync(() => void acceptor.close()),
    }
  })

/** The same as a layer. */
export const layerWebSocket = (options: Options): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, make(options))

const explain =
  (scheme: string, address: SocketAddress.HostAndPort) =>
  (cause: NodeJS.ErrnoException): string => {
    const why = openErrors[cause.code ?? ""] ?? cause.message
    return `cannot listen on ${scheme}://${SocketAddress.formatHostAndPort(address)}: ${why}`
  }

/** Error texts as the peer implementation prints them. */
const openErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: "Address in use (os error 98)",
  EACCES: "Permission denied (os error 13)",
  EADDRNOTAVAIL: "Cannot assign requested address (os error 99)",
}

const upgradeRequired: UpgradeAdmission.Reply = { status: 426, body: "" }
const addressOf = ({ address, port }: AddressInfo): string =>
  SocketAddress.formatHostAndPort({ host: address, port })

/**
 * The HTTP server of a listener, and the server that accepts its connections.
 *
 * On Node and Deno they are one. On Bun a server of `node:net` or `node:tls` accepts, and hands each connection to the
 * HTTP server. Bun's own HTTP server ends a connection that sends nothing for 10 seconds, which no option changes: it
 * drops clients that are slow to ask for their upgrade. It takes no descriptor of a socket that listens already either
 * (it binds another port), and no certificate but its first.
 */
interface HttpServer {
  /** Has the events of requests and upgrades, and every connection. */
  readonly server: http.Server
  /** Is to listen, and to be closed. */
  readonly acceptor: net.Server
}

/**
 * Makes both; neither listens yet. With `tls` all connections are TLS. `track` gets the connections that the HTTP
 * server does not close itself.
 */
const makeHttp = (
  tls: Tls.ServerTls | undefined,
  track: (socket: net.Socket) => void,
  respond: http.RequestListener,
): Effect.Effect<HttpServer, TransportError> => {
  if ("Bun" in globalThis) {
    const server = http.createServer(respond)
    const accept = (socket: net.Socket) => {
      track(socket)
      // As Node does with a client that asks for nothing; `ws` ends the timer with the upgrade.
      socket.setTimeout(server.headersTimeout, () => socket.destroy())
      server.emit("connection", socket)
    }
    const halfOpen = { allowHalfOpen: true }
    const acceptor: Effect.Effect<net.Server, TransportError> =
      tls === undefined
        ? Effect.sync(() => net.createServer(halfOpen, accept))
        : Tls.makeServer(tls, (options) => nodeTls.createServer({ ...options, ...halfOpen }, accept))
    return Effect.map(acceptor, (each) => ({ server, acceptor: each }))
  }
  const server: Effect.Effect<http.Server | https.Server, TransportError> =
    tls === undefined
      ? Effect.sync(() => http.createServer(respond))
      : Tls.makeServer(tls, (options) => https.createServer(options, respond))
  return Effect.map(server, (both) => ({ server: both, acceptor: both }))
}
