/**
 * Effects of another copy of `effect`, as that of a program beside the one that is bundled with procwire. Each of 3.22
 * and later runs those of the other, but logs a warning at each step of another version.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"

/** What every effect says of itself; the version is not in its type. */
interface Variance {
  readonly _V: string
}

const versionOf = (effect: Effect.Effect<unknown, unknown, unknown>): string =>
  (effect[Effect.EffectTypeId] as unknown as Variance)._V

const own = versionOf(Effect.void)

/** True for an effect that another version has made. */
export const isOther = (effect: Effect.Effect<unknown, unknown, unknown>): boolean =>
  versionOf(effect) !== own

/** The same effect, of whose steps none is logged that another version has made. */
export const quiet: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.locally(
  FiberRef.versionMismatchErrorLogLevel,
  Option.none(),
)

/** No fiber of this process logs it any more that starts from now on. */
export const quietAll = (): void => {
  Object.assign(FiberRef.versionMismatchErrorLogLevel, { initial: Option.none() })
}
