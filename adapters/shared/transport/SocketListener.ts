/**
 * Listens for lines, one JSON text each, on a unix socket, over TCP or over TLS; on `node:net` and `node:tls`, which
 * Node, Bun and Deno all have.
 *
 * The address is bound when the layer is built; `run` serves each connection in a fiber of its own, so a
 * client that does not read stalls nobody else. Closing the layer ends the address and every connection. The
 * end of a client's side is its end, as on stdin: half-closed connections do not exist.
 */
import * as net from "node:net"
import { resolve } from "node:path"
import * as nodeTls from "node:tls"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import { TransportError } from "../../../core/transport/Transport.ts"
import { invalidRequest } from "../../../core/protocol/ErrorCode.ts"
import { errorText, malformedId } from "../../../core/protocol/Message.ts"
import * as LineTransport from "./LineTransport.ts"
import * as OsError from "../host/OsError.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as Tls from "./Tls.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

/** How long a TCP connection is silent before the kernel asks whether its peer is still there. */
const keepAliveMillis = 30_000

/** Where to listen. */
export type Wanted =
  | Unix
  | (SocketAddress.HostAndPort & { readonly kind: "tcp"; readonly tls?: Tls.ServerTls })

/** Listens on a path, or on a literal IP address, where port 0 takes any free one. */
export const make = (
  wanted: Wanted,
  { maxMessageBytes, refusal }: Terms = {},
): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const accepted = yield* Mailbox.make<net.Socket>()
    const sockets = new Set<net.Socket>()
    const track = (socket: net.Socket) => {
      if (wanted.kind === "tcp") tune(socket)
      socket.on("error", () => {})
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    }
    const server = yield* serverFor(wanted, (socket) => {
      track(socket)
      const refused = refusal?.()
      if (refused === undefined) accepted.unsafeOffer(socket)
      else refuse(socket, refused.message)
    })
    // Over TLS this is the socket below, which may never finish its handshake.
    if (wanted.kind === "tcp" && wanted.tls !== undefined) server.on("connection", track)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }),
    )
    const bound = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const address = yield* wanted.kind === "unix"
      ? Scope.extend(listenUnix(server, wanted), bound)
      : listenTcp(server, wanted)
    yield* Effect.addFinalizer(() => accepted.shutdown)

    return {
      address: SocketAddress.format(address),
      // The path goes, too: a unix server on Deno listens on after its close.
      stop: Effect.zipRight(
        Effect.sync(() => void server.close()),
        Scope.close(bound, Exit.void),
      ),
      run: (serve) =>
        Effect.gen(function* () {
          const connections = yield* FiberSet.make<void>()
          const serveOne = (socket: net.Socket) =>
            LineTransport.make({
              label: labelOf(address, socket),
              input: socket,
              output: socket,
              ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
            }).pipe(
              Effect.flatMap((transport) => Effect.ensuring(serve(transport), transport.close)),
              Effect.scoped,
              Effect.tapErrorCause((cause) => Effect.logError("connection failed", cause)),
            )
          const accept = Effect.flatMap(accepted.take, (socket) =>
            FiberSet.run(connections, serveOne(socket)),
          )
          yield* Effect.forever(accept).pipe(Effect.catchTag("NoSuchElementException", () => Effect.void))
        }).pipe(Effect.scoped),
    }
  })

export const layerSocket = (address: Wanted, terms?: Terms): Layer.Layer<Listener, TransportError> =>
  Layer.scoped(Listener, make(address, terms))

/** Says why, and ends the connection whatever the client does. */
const refuse = (socket: net.Socket, why: string) => {
  socket.resume()
  socket.end(`${errorText(malformedId, invalidRequest, why)}\n`, () =>
    setTimeout(() => socket.destroy(), lingerMillis),
  )
}

/** How long a client that is refused has to end its side: a reset could overtake what it was told. */
const lingerMillis = 100

/** Small messages leave at once, and a peer that vanished without a word is noticed. */
export const tune = (socket: net.Socket): void => {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMillis)
}

interface Unix {
  readonly kind: "unix"
  readonly path: string
}

const serverFor = (
  wanted: Wanted,
  accept: (socket: net.Socket) => void,
): Effect.Effect<net.Server, TransportError> => {
  const tls = wanted.kind === "tcp" ? wanted.tls : undefined
  if (tls === undefined) return Effect.sync(() => net.createServer(accept))
  return Tls.makeServer(tls, (options) => nodeTls.createServer(options, accept))
}

const listenUnix = (server: net.Server, wanted: Unix) => {
  const path = resolve(wanted.path)
  const address: Unix = { kind: "unix", path }
  const bind = (bound: string) => listen(server, address, { path: bound })
  return Effect.as(UnixSocketFile.listen(path, bind), address)
}

const listenTcp = (server: net.Server, wanted: Exclude<Wanted, Unix>) => {
  const kind = wanted.tls === undefined ? "tcp" : "tls"
  const bound = listen(server, { ...wanted, kind }, { host: wanted.host, port: wanted.port })
  return Effect.map(bound, (): SocketAddress.SocketAddress => {
    const { address, port } = server.address() as net.AddressInfo
    return { kind, host: address, port }
  })
}

const listen = (
  server: net.Server,
  address: SocketAddress.SocketAddress,
  options: net.ListenOptions,
): Effect.Effect<void, TransportError> =>
  Effect.async((resume) => {
    // Stays for the life of the server: running out of descriptors must not end the process.
    server.on("error", (cause) => {
      const why = OsError.fromUnknown(cause).message
      const message = `cannot listen on ${SocketAddress.format(address)}: ${why}`
      resume(Effect.fail(new TransportError({ reason: "Open", message, cause })))
    })
    server.listen(options, () => resume(Effect.void))
  })

const labelOf = (address: SocketAddress.SocketAddress, { remoteAddress = "", remotePort = 0 }: net.Socket) =>
  address.kind === "unix"
    ? "JSON-RPC message from exec-server unix socket"
    : `JSON-RPC message from exec-server ${address.kind} ${SocketAddress.formatHostAndPort({ host: remoteAddress, port: remotePort })}`
