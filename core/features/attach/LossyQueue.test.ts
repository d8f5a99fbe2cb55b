/** Tests LossyQueue.ts, with a clock that every job moves on. */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../../testing/Effects.ts"
import * as LossyQueue from "./LossyQueue.ts"

/** A lossyQueue, and what moves its clock on by nanoseconds of work. */
const timed = Effect.gen(function* () {
  let nanos = 0n
  const clock = yield* Clock.Clock
  const own = { ...clock, currentTimeNanosUnsafe: () => nanos, sleep: clock.sleep.bind(clock) }
  const lossyQueue = yield* Effect.provideService(LossyQueue.make, Clock.Clock, own)
  return { lossyQueue, work: (more: bigint) => void (nanos += more) }
})

describe("LossyQueue", () => {
  it(
    "runs what takes no time at once, in turns, until it queues itself no more",
    effect(function* () {
      const lossyQueue = yield* LossyQueue.make
      const ran: Array<string> = []
      const jobs = ["a", "b"].map((name) => {
        let left = 3
        const job = () => {
          ran.push(name)
          if ((left -= 1) > 0) lossyQueue.enqueue(job)
        }
        return job
      })
      const begin = () => jobs.forEach(lossyQueue.enqueue)
      lossyQueue.enqueue(begin)
      expect(ran).toEqual(["a", "b", "a", "b", "a", "b"])
    }),
  )

  it(
    "rests forty-nine times as long as it has worked, and then goes on with those that wait",
    effect(function* () {
      const { lossyQueue, work } = yield* timed
      let ran = 0
      const job = () => {
        ran += 1
        work(400_000n)
        lossyQueue.enqueue(job)
      }
      lossyQueue.enqueue(job)
      // A slice ends with the job that is over its millisecond.
      expect(ran).toBe(3)
      lossyQueue.enqueue(() => void (ran += 100))
      yield* pass(58)
      expect(ran).toBe(3)
      work(49n * 1_200_000n)
      yield* pass(1)
      expect(ran).toBe(106)
      lossyQueue.remove(job)
      work(100_000_000n)
      yield* TestClock.adjust("1 minute")
      yield* settle
      expect(ran).toBe(106)
    }),
  )

  it(
    "rests for a quarter of a second at most, where its slice was held up",
    effect(function* () {
      const { lossyQueue, work } = yield* timed
      let ran = 0
      lossyQueue.enqueue(() => work(2_000_000_000n))
      lossyQueue.enqueue(() => void (ran += 1))
      yield* pass(244)
      expect(ran).toBe(0)
      yield* pass(1)
      expect(ran).toBe(1)
    }),
  )
})
