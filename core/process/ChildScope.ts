/** The scope of a child: nested in the scope of its session, and closed within a deadline. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Milliseconds that the release of a child may take before it is no longer waited for: 5 seconds. */
export const closeMillis = 5000

/** The scope of one child. */
export interface ChildScope {
  /** For the spawner. */
  readonly child: Scope.Scope
  /** Closes the scope, waiting for at most `closeMillis`. */
  readonly close: Effect.Effect<void>
}

/** A scope in `parent` whose closing takes at most `closeMillis`; a finalizer that hangs goes on by itself. */
export const fork = (parent: Scope.Scope): Effect.Effect<ChildScope> =>
  Effect.gen(function* () {
    const outer = yield* Scope.fork(parent)
    const child = yield* Scope.make()
    // In a fiber of its own, which most often is done at once.
    const closing = Effect.flatMap(Effect.context<never>(), (context) => {
      const fiber = Effect.runForkWith(context)(Scope.close(child, Exit.void))
      return fiber.pollUnsafe() ?? Effect.timeoutOption(Fiber.join(fiber), closeMillis)
    })
    yield* Scope.addFinalizer(outer, Effect.interruptible(closing))
    return { child, close: Scope.close(outer, Exit.void) }
  })
