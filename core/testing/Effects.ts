/** Runs tests as effects in virtual time, and lets their fibers run on. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

/** The body of a test: a generator of effects, run in a scope of its own with a TestClock. */
export const effect =
  (body: () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>) => (): Promise<void> =>
    Effect.gen(body).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

/** Lets all fibers run until they wait: the longest chain of a test wants about 70 turns. */
export const settle: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 120 })

/** Advances the clock from one due sleep to the next, and lets all fibers run until they wait. */
export const pass = (millis: number): Effect.Effect<void> =>
  Effect.andThen(Effect.andThen(settle, TestClock.adjust(millis)), settle)
