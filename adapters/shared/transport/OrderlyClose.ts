/** The end of a transport over Node streams: the queue is sent first, and no end waits for a peer for ever. */
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { SendQueue } from "./SendQueue.ts"

/** Milliseconds between two looks at the queue. */
const lookMillis = 50
/**
 * Looks at a queue that does not shrink after which the peer is given up: half a second. Looks are counted, not time: a
 * program that the system has not let run for a while has not tried to send either.
 */
const patientLooks = 10
/** Looks after which a peer is given up that takes its time: ten seconds. */
const mostLooks = 200

export interface Steps {
  /** Ends `incoming` and stops queueing. */
  readonly stop: () => void
  /** Messages that are sent before this side ends. */
  readonly queue: Pick<SendQueue, "flush" | "queued">
  /** Waits until the peer has ended its side. */
  readonly peerEnded: Effect.Effect<void>
  /** True if the streams are closed, so that there is nothing to wait for. */
  readonly gone: () => boolean
  /** Lets go of the streams, whatever happened before. */
  readonly destroy: () => void
}

export const closing = ({ stop, queue, peerEnded, gone, destroy }: Steps): Effect.Effect<void> => {
  const sent = Effect.andThen(queue.flush, peerEnded)
  return Effect.suspend(() => {
    stop()
    return gone() ? Effect.void : Effect.interruptible(Effect.raceFirst(sent, givesUp(queue)))
  }).pipe(Effect.ensuring(Effect.sync(destroy)))
}

/**
 * An effect that closes the transport once, however often it is run. The scope runs it too. It does nothing once the
 * transport is somebody else's to close.
 */
export const make = (
  steps: Steps,
  left: () => boolean = () => false,
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    let begun: Fiber.Fiber<unknown> | undefined
    // In a fiber of its own: when whoever began it is interrupted, the others must not look interrupted.
    const close = Effect.suspend(() =>
      left()
        ? Effect.void
        : Effect.asVoid(Fiber.await((begun ??= Effect.runForkWith(context)(closing(steps))))),
    )
    yield* Scope.addFinalizer(yield* Effect.scope, close)
    return close
  })

/** Ends when the peer is to be given up. */
const givesUp = ({ queued }: Steps["queue"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    let [before, idle] = [queued(), 0]
    for (let look = 0; look < mostLooks && idle < patientLooks; look++) {
      yield* Effect.sleep(lookMillis)
      const now = queued()
      idle = now < before ? 0 : idle + 1
      before = now
    }
  })

/**
 * Waits until the peer has ended its side of a socket. Destroying a socket with unread input resets the connection,
 * and a reset can discard what the peer has not read yet.
 */
export const peerEnded = (input: Readable, output: Readable | Writable): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (input !== output || input.destroyed || input.readableEnded) return resume(Effect.void)
    const done = () => resume(Effect.void)
    input.once("end", done).once("close", done).resume()
  })
