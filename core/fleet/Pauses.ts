/** Pauses between attempts: each about twice as long as the one before, up to a bound, and never quite the same. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** The pauses of one thing that is tried again and again. */
export interface Pauses {
  /** Waits, longer than the last time. */
  readonly next: Effect.Effect<void>
  /** It has worked: the next pause is the first one again. */
  readonly reset: () => void
}

/** A duration that varies by up to a fifth. */
export const jittered = (millis: number): Effect.Effect<number> =>
  Effect.map(Random.nextBetween(0.8, 1.2), (factor) => Math.max(1, Math.round(millis * factor)))

/** Pauses from `first` to `longest` milliseconds. */
export const make = (first = 100, longest = 5_000): Pauses => {
  let pause = first
  return {
    next: Effect.suspend(() => {
      const now = pause
      pause = Math.min(longest, pause * 2)
      return Effect.flatMap(jittered(now), (millis) => Effect.sleep(millis))
    }),
    reset: () => {
      pause = first
    },
  }
}
