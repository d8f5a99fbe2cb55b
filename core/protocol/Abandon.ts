/** Effects that are abandoned when their caller is interrupted. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The effect, but its caller goes on at once when interrupted: the end of the effect comes in the background. */
export const abandonable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(Effect.forkDetach(effect, { startImmediately: true }), Fiber.join, (fiber) =>
    Effect.sync(() => fiber.interruptUnsafe()),
  )
