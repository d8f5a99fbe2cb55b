/**
 * The WebSockets of a program's own HTTP server: it gives its upgrades to a server of ours, which serves them beside
 * its listeners. The code of WebSockets is loaded with the first.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import * as Sockets from "../transport/Sockets.ts"
import type * as WebSocketUpgrades from "../transport/WebSocketUpgrades.ts"

/** Takes the arguments of the event `upgrade` of `node:http` or `node:https`, whatever the path. */
export type HandleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The door for upgrades. */
export interface Upgrades {
  readonly handle: HandleUpgrade
  /** From now on upgrades are refused with HTTP status 503. */
  readonly stop: Effect.Effect<void>
  /** Serves the connections until it is interrupted. */
  readonly run: (
    serve: (transport: Transport) => Effect.Effect<void, never, Scope.Scope>,
  ) => Effect.Effect<void, TransportError>
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Takes upgrades until the scope closes, which ends their connections. */
export const make = (options: WebSocketUpgrades.Options): Effect.Effect<Upgrades, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Effect.acquireRelease(Queue.make<Upgrade, Cause.Done>(), (queue) =>
      Effect.andThen(Queue.end(queue), Queue.shutdown(queue)),
    )
    const track = yield* Sockets.track
    let stopped = false
    const stop = Effect.sync(() => void (stopped = true))
    yield* Effect.addFinalizer(() => stop)

    const handle: HandleUpgrade = (request, duplex, head) => {
      const socket = duplex as Socket
      if (stopped) return refuse(socket)
      track(socket)
      Queue.offerUnsafe(waiting, { request, socket, head })
    }
    const run: Upgrades["run"] = (serve) =>
      Effect.gen(function* () {
        let next = yield* Queue.take(waiting)
        const { upgrade, run } = yield* LazyWebSockets.makeUpgrades(options)
        yield* Effect.forkScoped(run(serve))
        for (;;) {
          void upgrade(next.request, next.socket, next.head, "/")
          next = yield* Queue.take(waiting)
        }
      }).pipe(
        Effect.catchTag("Done", () => Effect.never),
        Effect.scoped,
      )
    return { handle, stop, run }
  })

const refuse = (socket: Socket): void => {
  socket.on("error", () => {})
  socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}
