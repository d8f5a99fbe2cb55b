/**
 * Effects that are done where they are made. Most requests are answered without waiting, and a fiber for each costs
 * more than all that it does; so what is done already is taken at once, and only what waits is run.
 *
 * `next` is called when the effect is made, not when it runs: for effects that run right away and once.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The exit of an effect that is done; undefined for one that has to run. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** `next` of the value. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>,
): Effect.Effect<B, E | E2> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.flatMap(effect, next)
  return Exit.isSuccess(exit) ? next(exit.value) : Effect.failCause(exit.cause)
}

/** The value changed by `next`. */
export const map = <A, E, B>(effect: Effect.Effect<A, E>, next: (value: A) => B): Effect.Effect<B, E> =>
  flatMap(effect, (value) => Effect.succeed(next(value)))

/** The error changed by `next`. */
export const mapError = <A, E, E2>(
  effect: Effect.Effect<A, E>,
  next: (error: E) => E2,
): Effect.Effect<A, E2> => {
  const exit = exitOf(effect)
  return exit === undefined ? Effect.mapError(effect, next) : Exit.mapError(exit, next)
}
