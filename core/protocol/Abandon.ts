/** Effects whose end nobody has to wait for. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The effect, but whoever is interrupted meanwhile goes on at once: its own end comes in the background. */
export const abandonable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(Effect.forkDetach(effect, { startImmediately: true }), Fiber.join, (fiber) =>
    Effect.sync(() => fiber.interruptUnsafe()),
  )
