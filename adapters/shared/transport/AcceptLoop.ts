/**
 * The connections of a listener: one fiber and one scope for each, so that a client that does not read
 * stalls no other.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { ListenerService } from "../../../core/transport/Listener.ts"
import type { Transport } from "../../../core/transport/Transport.ts"

/** Connections of the kind `A` on their way from a callback to the server. */
export interface AcceptLoop<A> {
  /** Takes a new connection; it waits until `run` serves it. */
  readonly accept: (connection: A) => void
  /** Serves every accepted connection until the scope of `make` closes. */
  readonly run: ListenerService["run"]
}

/** `open` turns a connection into a transport, in the scope of that connection. */
export const make = <A>(
  open: (connection: A) => Effect.Effect<Transport, never, Scope.Scope>,
): Effect.Effect<AcceptLoop<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const accepted = yield* Effect.acquireRelease(Queue.make<A, Cause.Done>(), (queue) =>
      Effect.andThen(Queue.end(queue), Queue.shutdown(queue)),
    )
    return {
      accept: (connection) => void Queue.offerUnsafe(accepted, connection),
      run: (serve) =>
        Effect.gen(function* () {
          const connections = yield* FiberSet.make<void>()
          const next = Effect.flatMap(Queue.take(accepted), (connection) => {
            const served = Effect.tapCause(serveOne(open(connection), serve), (cause) =>
              Effect.logError("connection failed", cause),
            )
            return FiberSet.run(connections, served)
          })
          yield* Effect.forever(next).pipe(Effect.catchTag("Done", () => Effect.void))
        }).pipe(Effect.scoped),
    }
  })

/** Serves one connection in a scope of its own; its transport is closed when `serve` returns. */
export const serveOne = <E, R>(
  open: Effect.Effect<Transport, E, Scope.Scope>,
  serve: (transport: Transport) => Effect.Effect<void, never, R | Scope.Scope>,
): Effect.Effect<void, E, Exclude<R, Scope.Scope>> =>
  open.pipe(
    Effect.flatMap((transport) => Effect.ensuring(serve(transport), transport.close)),
    Effect.scoped,
  )
