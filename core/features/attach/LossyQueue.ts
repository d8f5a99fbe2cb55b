/**
 * Low-priority queue for lossy viewers, in the time that others leave: at most a fiftieth of it goes to them, however
 * many they are. So viewers cost the owner of a flood next to nothing, and a viewer of little output waits for nothing.
 *
 * It works in slices, and rests after each in proportion to the time that it took. Jobs have turns, round-robin.
 */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import type * as Scope from "effect/Scope"
import * as Fork from "../../protocol/Fork.ts"

/** Sends at most one message. It queues itself again if it has more. */
export type Job = () => void

export interface LossyQueue {
  /** Gives the job a turn. One that waits already is not added again. */
  readonly enqueue: (job: Job) => void
  /** Gives it none. */
  readonly remove: (job: Job) => void
}

/** Length of one slice, in nanoseconds. */
const sliceNanos = 1_000_000n

/** Factor of a rest to the work before it. */
const restFactor = 49n

/**
 * The most of a slice that counts, in nanoseconds. One that takes longer was held up: another program had the core, or
 * memory was collected. A rest of seconds for that gains nothing.
 */
const mostNanos = 5n * sliceNanos

/** Jobs that run in the scope. */
export const make: Effect.Effect<LossyQueue, never, Scope.Scope> = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  const clock = yield* Clock.Clock
  const jobs = new Set<Job>()
  let working = false
  let waiting = false
  let restsUntil = clock.currentTimeNanosUnsafe()

  const work = () => {
    working = true
    const began = clock.currentTimeNanosUnsafe()
    let now = began
    for (const job of jobs) {
      jobs.delete(job)
      job()
      now = clock.currentTimeNanosUnsafe()
      if (now - began >= sliceNanos) break
    }
    working = false
    const worked = now - began
    restsUntil = now + (worked < mostNanos ? worked : mostNanos) * restFactor
    if (jobs.size > 0) wait(now)
  }

  const wait = (now: bigint) => {
    if (waiting) return
    waiting = true
    const again = Effect.sync(() => {
      waiting = false
      if (jobs.size > 0) work()
    })
    fork(Effect.delay(again, Math.ceil(Number(restsUntil - now) / 1_000_000)))
  }

  return {
    enqueue: (job) => {
      jobs.add(job)
      if (working || waiting) return
      const now = clock.currentTimeNanosUnsafe()
      if (now >= restsUntil) work()
      else wait(now)
    },
    remove: (job) => void jobs.delete(job),
  }
})
