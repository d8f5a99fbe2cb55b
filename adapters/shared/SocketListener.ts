/**
 * Listens for lines, one JSON text each, on a unix socket or over TCP; on `node:net`, which Node, Bun and Deno
 * all have.
 *
 * The address is bound when the layer is built; `run` serves each connection in a fiber of its own, so a
 * client that does not read stalls nobody else. Closing the layer ends the address and every connection. The
 * end of a client's side is its end, as on stdin: half-closed connections do not exist.
 */
import * as net from "node:net"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService } from "../../core/transport/Listener.ts"
import { TransportError } from "../../core/transport/Transport.ts"
import * as LineTransport from "./LineTransport.ts"
import * as OsError from "./OsError.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

/** How long a TCP connection is silent before the kernel asks whether its peer is still there. */
const keepAliveMillis = 30_000

/** Listens on a path, or on a literal IP address, where port 0 takes any free one. */
export const make = (
  wanted: SocketAddress.SocketAddress,
): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const accepted = yield* Mailbox.make<net.Socket>()
    const sockets = new Set<net.Socket>()
    const server = net.createServer((socket) => {
      socket.on("error", () => {})
      if (wanted.kind === "tcp") tune(socket)
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      accepted.unsafeOffer(socket)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }),
    )
    const address = yield* wanted.kind === "unix" ? listenUnix(server, wanted) : listenTcp(server, wanted)
    yield* Effect.addFinalizer(() => accepted.shutdown)

    return {
      address: SocketAddress.format(address),
      run: (serve) =>
        Effect.gen(function* () {
          const connections = yield* FiberSet.make<void>()
          const serveOne = (socket: net.Socket) =>
            LineTransport.make({ label: labelOf(address, socket), input: socket, output: socket }).pipe(
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

export const layerSocket = (address: SocketAddress.SocketAddress): Layer.Layer<Listener, TransportError> =>
  Layer.scoped(Listener, make(address))

/** Small messages leave at once, and a peer that vanished without a word is noticed. */
export const tune = (socket: net.Socket): void => {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMillis)
}

type Unix = SocketAddress.SocketAddress & { readonly kind: "unix" }
type Tcp = SocketAddress.SocketAddress & { readonly kind: "tcp" }

const listenUnix = (server: net.Server, wanted: Unix) => {
  const path = resolve(wanted.path)
  const address: Unix = { kind: "unix", path }
  const bind = (bound: string) => listen(server, address, { path: bound })
  return Effect.as(UnixSocketFile.listen(path, bind), address)
}

const listenTcp = (server: net.Server, wanted: Tcp) =>
  Effect.map(listen(server, wanted, { host: wanted.host, port: wanted.port }), (): Tcp => {
    const { address, port } = server.address() as net.AddressInfo
    return { kind: "tcp", host: address, port }
  })

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
    : `JSON-RPC message from exec-server tcp ${SocketAddress.formatHostAndPort({ host: remoteAddress, port: remotePort })}`
