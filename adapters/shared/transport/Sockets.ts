/** Options, binding and cleaning up of sockets, for listeners and clients on `node:net`, `node:tls` and `node:http`. */
import type * as net from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TransportError } from "../../../core/transport/Transport.ts"

/** A function that marks sockets as those of the scope, which destroys them when it closes. */
export const track: Effect.Effect<(socket: net.Socket) => void, never, Scope.Scope> = Effect.gen(
  function* () {
    const sockets = new Set<net.Socket>()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      }),
    )
    return (socket) => {
      // The transport of the socket handles its errors; one that comes before must not end the process.
      socket.on("error", () => {})
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    }
  },
)

/** Binds a server; `explain` makes the message from the cause where that fails. */
export const listen = (
  server: net.Server,
  options: net.ListenOptions | { readonly fd: number },
  explain: (cause: Error) => string,
): Effect.Effect<void, TransportError> =>
  Effect.callback((resume) => {
    // This listener stays for the life of the server: running out of descriptors must not end the process.
    server.on("error", (cause) => {
      resume(Effect.fail(new TransportError({ reason: "Open", message: explain(cause), cause })))
    })
    server.listen(options, () => resume(Effect.void))
  })

/** The silence of a TCP connection before the kernel probes whether its peer is still there. */
const keepAliveMillis = 30_000

/**
 * For TCP connections of servers and clients: small messages leave at once, and a host that vanished is noticed by the
 * kernel: of a silent connection within the timeout, where the runtime can set that. With 0 it is not.
 */
export const tune = (socket: net.Socket, timeoutMillis = 3 * keepAliveMillis): void => {
  socket.setNoDelay(true)
  if (timeoutMillis === 0) return
  // The kernel counts in seconds.
  const delay = Math.max(1000, Math.min(keepAliveMillis, Math.floor(timeoutMillis / 3)))
  socket.setKeepAlive(true, delay)
}
