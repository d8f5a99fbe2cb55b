/** Runs tests as effects in virtual time, and lets their fibers run on. */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import type { YieldWrap } from "effect/Utils"

/** The next turn of the event loop. */
const nextTurn = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/**
 * Has the TestClock look in the next turn of the event loop whether all fibers still wait, not in a timer: before each
 * sleep that is due it looks three times, and a timer takes a millisecond.
 */
const withoutTimers: Effect.Effect<void> = Effect.clockWith((clock) =>
  "yieldTimer" in clock
    ? Effect.sync(() => void Object.assign(clock, { yieldTimer: nextTurn }))
    : Effect.dieMessage("the TestClock has no yieldTimer"),
)

/** The body of a test: a generator of effects, run in a scope of its own with a TestClock. */
export const effect =
  (body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, void, never>) =>
  (): Promise<void> =>
    Effect.gen(body).pipe(
      Effect.scoped,
      (test) => Effect.zipRight(withoutTimers, test),
      Effect.provide(TestContext.TestContext),
      Effect.runPromise,
    )

/** Lets all fibers run until they wait. */
export const settle: Effect.Effect<void> = Effect.repeatN(Effect.yieldNow(), 200)

/** Advances the clock in one step, and lets all fibers run until they wait. */
export const pass = (millis: number): Effect.Effect<void> =>
  Effect.zipRight(Effect.zipRight(settle, TestClock.adjust(millis)), settle)

/** Advances the clock from one due sleep to the next, so that a fiber that sleeps repeatedly wakes each time. */
export const elapse = (millis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis
    for (;;) {
      yield* settle
      const due = Chunk.toReadonlyArray(yield* TestClock.sleeps()).filter((at) => at <= end)
      yield* TestClock.setTime(due.length === 0 ? end : Math.min(...due))
      if (due.length === 0) return yield* settle
    }
  })
