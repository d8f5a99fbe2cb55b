/**
 * Several ways to one server, or to several doors of one fleet: each attempt begins with the way behind the one that
 * was tried last, so after a loss the next door is tried first.
 */
import * as Effect from "effect/Effect"

/**
 * Opens by the first way that works; each is tried once. Fails with the error of the last one. An attempt that is
 * given up has used up the way that it was trying.
 */
export const inTurn = <A, E, R>(
  ways: readonly [Effect.Effect<A, E, R>, ...ReadonlyArray<Effect.Effect<A, E, R>>],
): Effect.Effect<A, E, R> => {
  let next = 0
  const one = Effect.suspend(() => ways[next++ % ways.length] ?? ways[0])
  return ways.slice(1).reduce((tried) => Effect.catch(tried, () => one), one)
}
