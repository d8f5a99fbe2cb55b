/** The scope that a child lives in: inside its session's, and closed in bounded time whatever the child does. */
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** How long the end of a child may take before nobody waits for it any more: 5 seconds. */
export const closeMillis = 5000

export interface ChildScope {
  readonly child: Scope.Scope
  readonly close: Effect.Effect<void>
}

/** A scope inside another one that takes at most `closeMillis` to close: what hangs then is left behind. */
export const fork = (parent: Scope.Scope): Effect.Effect<ChildScope> =>
  Effect.gen(function* () {
    const outer = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const child = yield* Scope.make()
    const closing = Effect.timeoutOption(Effect.disconnect(Scope.close(child, Exit.void)), closeMillis)
    yield* Scope.addFinalizer(outer, Effect.interruptible(closing))
    return { child, close: Scope.close(outer, Exit.void) }
  })
