/** When the output of an exited child can be taken as read, although a stream is still open. */
import * as Effect from "effect/Effect"
import type { Throttle } from "./Throttle.ts"

/** Milliseconds without output, twice in a row, after which an exit is published although a stream is open. */
export const quietMillis = 10

/** Rounds of `quietMillis` after which an exit is published although output keeps coming: half a second. */
export const maxQuietRounds = 50

/** The part of a process that is used here. */
interface Subject {
  /** Set when the exit is published. */
  readonly exited: unknown
  /** How often the spawner has delivered output. */
  readonly outputs: number
  readonly readers: Throttle
}

/** Waits until the output of an exited child can be taken as read. Time in which reading is paused does not count. */
export const awaitQuiet = (process: Subject): Effect.Effect<void> =>
  Effect.gen(function* () {
    let quiet = 0
    let rounds = 0
    while (process.exited === undefined && quiet < 2 && rounds < maxQuietRounds) {
      const { outputs } = process
      yield* process.readers.open
      yield* Effect.sleep(quietMillis)
      if (process.readers.paused) continue
      rounds += 1
      quiet = process.outputs === outputs ? quiet + 1 : 0
    }
  })
