/**
 * One effect at a time, in the order in which they were asked for.
 *
 * The semaphore of Effect wakes a waiter a moment after it is free. A fiber that takes it again meanwhile comes first,
 * so a loop that takes it in every round lets no other fiber in. A turn is handed on.
 */
import * as Effect from "effect/Effect"

/** Runs an effect when those that were asked for before have ended. */
export type Turn = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Nothing runs yet. */
export const make = (): Turn => {
  const waiting = new Set<() => void>()
  let taken = false

  const handOn = () => {
    const [next] = waiting
    if (next === undefined) taken = false
    else {
      waiting.delete(next)
      next()
    }
  }

  const take = Effect.callback<void>((resume) => {
    // A chain of turns that end at once must not nest.
    const next = () => resume(Effect.yieldNow)
    if (taken) waiting.add(next)
    else {
      taken = true
      resume(Effect.void)
    }
    return Effect.sync(() => {
      // A waiter that is interrupted after it was handed the turn passes it on.
      if (!waiting.delete(next)) handOn()
    })
  })
  const done = Effect.sync(handOn)

  return (effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(take), () => Effect.ensuring(restore(effect), done)),
    )
}
