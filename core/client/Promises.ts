/** The edge between effects and promises. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** An effect as a promise that rejects with the error itself. */
export const promise = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromiseExit(effect).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  })

/** What lives in a scope, and the end of that scope. */
export const scoped = <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>,
): Promise<readonly [value: A, close: () => Promise<void>]> =>
  promise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const value = yield* effect.pipe(
        Scope.extend(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      )
      return [value, () => promise(Scope.close(scope, Exit.void))] as const
    }),
  )
