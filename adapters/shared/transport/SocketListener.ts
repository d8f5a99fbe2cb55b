/**
 * Listens for lines, one JSON text each, on a unix socket, over TCP or over TLS; on `node:net` and `node:tls`, which
 * Node, Bun and Deno all have.
 *
 * The address is bound when the layer is built. Closing the layer ends the address and every connection. When a client
 * ends its side the connection is over, as at the end of stdin: half-closed connections do not exist.
 */
import * as net from "node:net"
import { resolve } from "node:path"
import * as nodeTls from "node:tls"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { invalidRequest } from "../../../core/protocol/ErrorCode.ts"
import { cutter } from "../../../core/protocol/CutText.ts"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import { errorText, malformedId } from "../../../core/protocol/Message.ts"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import type { Peer, TransportError } from "../../../core/transport/Transport.ts"
import * as OsError from "../host/OsError.ts"
import * as AcceptLoop from "./AcceptLoop.ts"
import * as LineTransport from "./LineTransport.ts"
import * as Peers from "./Peers.ts"
import * as Sockets from "./Sockets.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as Tls from "./Tls.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

/** The address to listen at: a path, or a literal IP address, where port 0 takes any free one. */
export type Options =
  | UnixOptions
  | (SocketAddress.HostAndPort & {
      readonly kind: "tcp"
      /** The descriptor of a socket that listens there already; it is closed with the listener. */
      readonly fd?: number | undefined
      readonly tls?: Tls.ServerTls
    })

/** A unix socket, whose file has mode 0600. */
export interface UnixOptions {
  /** Tells it from the other addresses. */
  readonly kind: "unix"
  /** The path of its file, absolute or relative to the directory of this process. */
  readonly path: string
  /** The descriptor of a socket that listens there already; its file stays when the listener is closed. */
  readonly fd?: number | undefined
  /** True: a socket on which another server listens is replaced. */
  readonly replaces?: boolean | undefined
  /** The identity of the client. */
  readonly lookUp?: Peers.LookUp | undefined
}

/** Listens until the scope closes. */
export const make = (
  options: Options,
  { maxMessageBytes, peerTimeoutMillis, refusal }: Terms = {},
): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const limit = maxMessageBytes === undefined ? {} : { maxMessageBytes }
    const cut = cutter(new MemoryPool())
    const loop = yield* AcceptLoop.make((socket: net.Socket) =>
      LineTransport.make({
        label: labelOf(address, socket),
        peer: peerOf(socket),
        input: socket,
        output: socket,
        cut,
        ...limit,
      }),
    )
    const isPrivate = options.kind === "unix" && UnixSocketFile.isPrivate(options)
    const peerOf = (socket: net.Socket): Peer =>
      options.kind === "unix"
        ? Peers.ofUnixSocket(socket, options.lookUp, isPrivate)
        : Peers.ofSocket(options.tls === undefined ? "tcp" : "tls", socket)
    const track = yield* Sockets.track
    const prepare = (socket: net.Socket) => {
      if (options.kind === "tcp") Sockets.tune(socket, peerTimeoutMillis)
      track(socket)
    }
    const server = yield* serverFor(options, (socket) => {
      prepare(socket)
      const refused = refusal?.()
      if (refused === undefined) loop.accept(socket)
      else refuse(socket, refused.message)
    })
    // Over TLS "connection" is for the TCP socket below, whose client may never finish its handshake.
    if (options.kind === "tcp" && options.tls !== undefined) server.on("connection", prepare)
    yield* Effect.addFinalizer(() => Effect.sync(() => void server.close()))
    const bound = yield* Scope.fork(yield* Effect.scope)
    const address = yield* options.kind === "unix"
      ? Scope.provide(listenUnix(server, options), bound)
      : listenTcp(server, options)

    return {
      address: SocketAddress.format(address),
      run: loop.run,
      // The path has to go too: a unix server on Deno goes on listening after `close`.
      stop: Effect.andThen(
        Effect.sync(() => void server.close()),
        Scope.close(bound, Exit.void),
      ),
    }
  })

/** The same as a layer. */
export const layerSocket = (options: Options, terms?: Terms): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, make(options, terms))

/** Tells the client why, and ends the connection whatever the client does. */
const refuse = (socket: net.Socket, why: string) => {
  socket.resume()
  socket.end(`${errorText(malformedId, invalidRequest, why)}\n`, () =>
    setTimeout(() => socket.destroy(), lingerMillis),
  )
}

/** The time of a refused client to end its side: a reset could overtake the error message. */
const lingerMillis = 100

const serverFor = (
  options: Options,
  accept: (socket: net.Socket) => void,
): Effect.Effect<net.Server, TransportError> => {
  const tls = options.kind === "tcp" ? options.tls : undefined
  if (tls === undefined) return Effect.sync(() => net.createServer(accept))
  return Tls.makeServer(tls, (tlsOptions) => nodeTls.createServer(tlsOptions, accept))
}

const listenUnix = (server: net.Server, options: UnixOptions) => {
  const { fd, path } = options
  if (fd !== undefined)
    return Effect.as(Sockets.listen(server, { fd }, explain({ kind: "unix", path })), options)
  const address: UnixOptions = { kind: "unix", path: resolve(options.path) }
  const bind = (path: string) => Sockets.listen(server, { path }, explain(address))
  return Effect.as(UnixSocketFile.listen(address.path, bind, options.replaces), address)
}

const listenTcp = (server: net.Server, { host, port, fd, tls }: Exclude<Options, UnixOptions>) => {
  const kind = tls === undefined ? "tcp" : "tls"
  const where = fd === undefined ? { host, port } : { fd }
  const bound = Sockets.listen(server, where, explain({ kind, host, port }))
  return Effect.map(bound, (): SocketAddress.SocketAddress => {
    const taken = server.address() as net.AddressInfo
    return { kind, host: taken.address, port: taken.port }
  })
}

const explain = (address: SocketAddress.SocketAddress) => (cause: Error) =>
  `cannot listen on ${SocketAddress.format(address)}: ${OsError.fromUnknown(cause).message}`

const labelOf = (
  address: SocketAddress.SocketAddress,
  { remoteAddress = "", remotePort = 0 }: net.Socket,
): string => {
  if (address.kind === "unix") return ErrorText.labelOf("unix")
  const peer = SocketAddress.formatHostAndPort({ host: remoteAddress, port: remotePort })
  return ErrorText.labelOf(address.kind, peer)
}
