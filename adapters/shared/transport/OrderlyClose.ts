/** The end of a transport over Node streams: what is queued is sent first, and no end waits for a peer for ever. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/** How long it may take to send what is queued and for the peer to end its side, both together. */
const deadline = "500 millis"

export interface Steps {
  /** Ends `incoming` and stops queueing. */
  readonly stop: () => void
  /** Sends what is queued, and ends this side. */
  readonly flush: Effect.Effect<void>
  /** Waits until the peer has ended its side. */
  readonly peerEnded: Effect.Effect<void>
  /** Lets go of the streams, whatever happened before. */
  readonly destroy: () => void
}

/** An effect that closes the transport once, however often it is run. The scope runs it too. */
export const make = ({
  stop,
  flush,
  peerEnded,
  destroy,
}: Steps): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const rest = Effect.zipRight(flush, peerEnded)
    const closing = Effect.sync(stop).pipe(
      Effect.zipRight(rest.pipe(Effect.interruptible, Effect.timeoutOption(deadline))),
      Effect.ensuring(Effect.sync(destroy)),
    )
    let begun: Fiber.RuntimeFiber<unknown> | undefined
    // In a fiber of its own: when whoever began it is interrupted, the others must not be told that they were.
    const close = Effect.suspend(() => Fiber.await((begun ??= Runtime.runFork(runtime)(closing))))
    yield* Effect.addFinalizer(() => close)
    return Effect.asVoid(close)
  })
