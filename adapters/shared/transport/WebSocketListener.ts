/**
 * Listens for WebSockets at `/`, with the peer implementation's HTTP side doors, on `node:http` and
 * `ws`, on every runtime: the servers of Bun and Deno can not stop reading (see adapters/README.md).
 *
 * The port is bound when the layer is built; `run` serves each connection in a fiber of its own, so a
 * client that does not read stalls nobody else. Closing the layer ends the port and every connection.
 */
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import { TransportError } from "../../../core/transport/Transport.ts"
import * as UpgradeAdmission from "./UpgradeAdmission.ts"
import * as Tls from "./Tls.ts"
import * as WebSocketConnection from "./WebSocketConnection.ts"

export interface Options extends UpgradeAdmission.Rules {
  /** A literal address, `127.0.0.1` or `::1`. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** With it only TLS is spoken: `wss://`. */
  readonly tls?: Tls.ServerTls
  readonly terms?: Terms
}

export const make = (options: Options): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const upgrades = yield* Mailbox.make<WebSocketConnection.Upgrade>()
    const sockets = new Set<Socket>()
    const { maxMessageBytes, refusal } = options.terms ?? {}
    const answer = async (request: http.IncomingMessage) =>
      (await UpgradeAdmission.answer(requestOf(request), options).catch(() => failed)) ??
      UpgradeAdmission.full(refusal?.())
    const upgrader = WebSocketConnection.makeUpgrader(maxMessageBytes)

    const respond: http.RequestListener = async (request, response) => {
      request.resume()
      const { status, body, headers } = (await answer(request)) ?? badUpgrade
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
      response.end(body)
    }
    const server = yield* serverFor(options.tls, respond)
    server.on("upgrade", async (request, socket: Socket, head) => {
      socket.on("error", () => {})
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      const reply = await answer(request)
      if (reply !== undefined) refuse(request, socket, reply)
      else upgrades.unsafeOffer({ request, socket, head })
    })
    yield* Effect.acquireRelease(listen(server, options), () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
    )
    yield* Effect.addFinalizer(() => upgrades.shutdown)

    return {
      address: `${options.tls === undefined ? "ws" : "wss"}://${addressOf(server.address() as AddressInfo)}`,
      stop: Effect.sync(() => void server.close()),
      run: (serve) =>
        Effect.gen(function* () {
          const connections = yield* FiberSet.make<void>()
          const serveOne = (upgrade: WebSocketConnection.Upgrade) =>
            WebSocketConnection.make(upgrade, upgrader).pipe(
              Effect.flatMap((transport) => Effect.ensuring(serve(transport), transport.close)),
              Effect.scoped,
              Effect.tapErrorCause((cause) => Effect.logError("connection failed", cause)),
            )
          const accept = Effect.flatMap(upgrades.take, (upgrade) =>
            FiberSet.run(connections, serveOne(upgrade)),
          )
          yield* Effect.forever(accept).pipe(Effect.catchTag("NoSuchElementException", () => Effect.void))
        }).pipe(Effect.scoped),
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

const listen = (
  server: http.Server | https.Server,
  { host, port }: Options,
): Effect.Effect<void, TransportError> =>
  Effect.async((resume) => {
    // Stays for the life of the server: running out of descriptors must not end the process.
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const message = openErrors[cause.code ?? ""] ?? cause.message
      resume(Effect.fail(new TransportError({ reason: "Open", message, cause })))
    })
    server.listen({ host, port }, () => resume(Effect.void))
  })

/** Error texts as the peer implementation prints them. */
const openErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: "Address in use (os error 98)",
  EACCES: "Permission denied (os error 13)",
  EADDRNOTAVAIL: "Cannot assign requested address (os error 99)",
}

const badUpgrade: UpgradeAdmission.Reply = { status: 426, body: "" }
const failed: UpgradeAdmission.Reply = { status: 500, body: "" }

/** Answers an upgrade request as an ordinary one, and ends its connection. */
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

const addressOf = ({ address, family, port }: AddressInfo): string =>
  `${family === "IPv6" ? `[${address}]` : address}:${port}`
