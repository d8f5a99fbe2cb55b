/**
 * Listens for WebSockets at `/`, and answers other HTTP requests as `UpgradeAdmission` says. It uses `node:http` and
 * `ws` on every runtime: the servers of Bun and Deno have no back-pressure for input (see adapters/README.md).
 *
 * The port is bound when the layer is built. Closing the layer ends the port and every connection.
 */
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as AcceptLoop from "./AcceptLoop.ts"
import * as Peers from "./Peers.ts"
import * as Sockets from "./Sockets.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as Tls from "./Tls.ts"
import * as UpgradeAdmission from "./UpgradeAdmission.ts"
import * as WebSocketConnection from "./WebSocketConnection.ts"

export interface Options extends UpgradeAdmission.Rules {
  /** A literal address, `127.0.0.1` or `::1`. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** With it the listener speaks TLS only: `wss://`. */
  readonly tls?: Tls.ServerTls
  /** The message limit, and when connections are refused. */
  readonly terms?: Terms
}

/** Listens until the scope closes. */
export const make = (options: Options): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, port, tls, terms = {} } = options
    const scheme = tls === undefined ? "ws" : "wss"
    const upgrader = WebSocketConnection.makeUpgrader(terms.maxMessageBytes)
    const loop = yield* AcceptLoop.make((upgrade: WebSocketConnection.Upgrade) =>
      WebSocketConnection.make(upgrade, upgrader),
    )
    const track = yield* Sockets.track
    const answer = async (request: http.IncomingMessage): Promise<UpgradeAdmission.Admission> => {
      const asked = UpgradeAdmission.answer(requestOf(request), options)
      const { reply, credential }: UpgradeAdmission.Admission = await asked.catch(() => ({ reply: failed }))
      return { reply: reply ?? UpgradeAdmission.full(terms.refusal?.()), credential }
    }

    const server = yield* serverFor(tls, async (request, response) => {
      request.resume()
      const { reply = upgradeRequired } = await answer(request)
      const { status, body, headers } = reply
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
      response.end(body)
    })
    server.on("upgrade", async (request, socket: Socket, head) => {
      track(socket)
      const { reply, credential } = await answer(request)
      if (reply !== undefined) return refuse(request, socket, reply)
      const peer = Peers.ofSocket(tls === undefined ? "ws" : "wss", socket, credential)
      loop.accept({ request, socket, head, peer })
    })
    yield* Effect.acquireRelease(Sockets.listen(server, { host, port }, explain(scheme, options)), () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
    )

    return {
      address: `${scheme}://${addressOf(server.address() as AddressInfo)}`,
      run: loop.run,
      stop: Effect.sync(() => void server.close()),
    }
  })

export const layerWebSocket = (options: Options): Layer.Layer<Listener, TransportError> =>
  Layer.scoped(Listener, make(options))

const serverFor = (
  tls: Tls.ServerTls | undefined,
  respond: http.RequestListener,
): Effect.Effect<http.Server | https.Server, TransportError> =>
  tls === undefined
    ? Effect.sync(() => http.createServer(respond))
    : Tls.makeServer(tls, (options) => https.createServer(options, respond))

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
const failed: UpgradeAdmission.Reply = { status: 500, body: "" }

/** Answers an upgrade request like any other HTTP request, and ends its connection. */
const refuse = (
  request: http.IncomingMessage,
  socket: Socket,
  { status, body, headers }: UpgradeAdmission.Reply,
) => {
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(body, () => socket.destroySoon())
}

const requestOf = (request: http.IncomingMessage): UpgradeAdmission.Request => ({
  method: request.method ?? "",
  url: request.url ?? "",
  header: (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  },
})

const addressOf = ({ address, port }: AddressInfo): string =>
  SocketAddress.formatHostAndPort({ host: address, port })
