/** The client's side of a unix socket, a TCP or a TLS connection that carries lines; on `node:net` and `node:tls`. */
import * as net from "node:net"
import { resolve } from "node:path"
import * as nodeTls from "node:tls"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { cutNotification } from "../../../core/protocol/CutText.ts"
import { type Transport, TransportError } from "../../../core/transport/Transport.ts"
import type { ClientTls } from "./ClientTls.ts"
import { toNode } from "./Tls.ts"
import * as LineTransport from "./LineTransport.ts"
import * as OsError from "../host/OsError.ts"
import * as Sockets from "./Sockets.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

/** The longest time that a server may take to accept. */
const connectDeadline = "30 seconds"

/** Connects; closing the scope ends the connection. */
export const connect = (
  address: SocketAddress.SocketAddress,
  tls: ClientTls = {},
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    if (address.kind === "unix") yield* UnixSocketFile.checkLength(resolve(address.path))
    const label = `JSON-RPC message from ${SocketAddress.format(address)}`
    const socket = yield* Effect.acquireRelease(Effect.interruptible(open(address, tls)), (opened) =>
      Effect.sync(() => opened.destroy()),
    )
    return yield* LineTransport.make({ label, input: socket, output: socket, cut: cutNotification })
  })

const dial = (address: SocketAddress.SocketAddress, tls: ClientTls): net.Socket => {
  if (address.kind === "unix") return net.connect({ path: resolve(address.path) })
  const { host, port } = address
  return address.kind === "tcp"
    ? net.connect({ host, port })
    : nodeTls.connect({ host, port, ...toNode(tls) })
}

const open = (
  address: SocketAddress.SocketAddress,
  tls: ClientTls,
): Effect.Effect<net.Socket, TransportError> =>
  Effect.callback<net.Socket, TransportError>((resume) => {
    const socket = dial(address, tls)
    socket.on("error", (cause) =>
      resume(Effect.fail(failed(address, OsError.fromUnknown(cause).message, cause))),
    )
    socket.once(address.kind === "tls" ? "secureConnect" : "connect", () => {
      if (address.kind !== "unix") Sockets.tune(socket)
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectDeadline,
      orElse: () => failed(address, "the server does not accept"),
    }),
  )

const failed = (address: SocketAddress.SocketAddress, why: string, cause?: unknown): TransportError =>
  new TransportError({
    reason: "Open",
    message: `cannot connect to ${SocketAddress.format(address)}: ${why}`,
    cause,
  })
