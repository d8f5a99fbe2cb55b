/**
 * Fibers for what begins in a callback: all of them end with a scope.
 *
 * A `FiberSet` would do the same. It takes four times as many steps to make one, and a connection has several.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Runs an effect in a fiber of its own. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** Fibers that are interrupted when the scope closes, which waits for them. One that is forked later is at once. */
export const inScope: Effect.Effect<Fork, never, Scope.Scope> = Effect.flatMap(
  Effect.context<Scope.Scope>(),
  (context) => {
    const runFork = Effect.runForkWith(context)
    const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
    let closed = false
    const fork: Fork = (effect) => {
      const fiber = runFork(effect)
      if (fiber.pollUnsafe() !== undefined) return fiber
      if (closed) fiber.interruptUnsafe()
      fibers.add(fiber)
      fiber.addObserver(() => fibers.delete(fiber))
      return fiber
    }
    const end = Effect.suspend(() => {
      closed = true
      return fibers.size === 0 ? Effect.void : Fiber.interruptAll([...fibers])
    })
    return Effect.as(Scope.addFinalizer(Context.get(context, Scope.Scope), end), fork)
  },
)
