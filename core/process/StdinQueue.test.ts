import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import { StdinError } from "../spawn/SpawnError.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as StdinQueue from "./StdinQueue.ts"

const one = (value: number) => Uint8Array.of(value & 255, value >> 8)
const make = (write: (bytes: Uint8Array) => Effect.Effect<void, StdinError>) =>
  StdinQueue.make({ write, endStdin: Effect.void })

/** A child that takes a write on request. */
const makeSlow = Effect.gen(function* () {
  const reading = yield* Latch.make(false)
  const taken: Array<number> = []
  const queue = yield* make((bytes) =>
    Effect.andThen(
      reading.await,
      Effect.sync(() => void taken.push((bytes[0] ?? 0) + (bytes[1] ?? 0) * 256)),
    ),
  )
  return { reading, taken, queue }
})

describe("StdinQueue", () => {
  it(
    "hands a write that the child takes at once to it at once",
    effect(function* () {
      const taken: Array<Uint8Array> = []
      const queue = yield* make((bytes) => Effect.sync(() => void taken.push(bytes)))
      queue.write(one(1), "a")
      expect(taken).toEqual([one(1)])
    }),
  )

  it(
    "begins writes at the call where a child can, and gives back the memory of those that it takes",
    effect(function* () {
      const pool = new MemoryPool()
      const reading = yield* Latch.make(false)
      const begun: Array<number> = []
      const write = () => Effect.die("a child that can begin a write is asked to")
      const begin = (bytes: Uint8Array) => {
        begun.push(bytes[0] ?? 0)
        return begun.length === 2 ? reading.await : Effect.void
      }
      const queue = yield* StdinQueue.make({ write, begin, endStdin: Effect.void })
      const memory = [1, 2, 3].map((value) => pool.take(40_000).fill(value))
      const buffers = memory.map(({ buffer }) => buffer)
      for (const bytes of memory) queue.write(bytes, undefined)
      expect(begun).toEqual([1, 2])
      expect(pool.take(40_000).buffer).toBe(buffers[0])
      expect(buffers).not.toContain(pool.take(40_000).buffer)
      yield* reading.open
      yield* settle
      expect(begun).toEqual([1, 2, 3])
      expect([pool.take(40_000).buffer, pool.take(40_000).buffer]).toEqual([buffers[2], buffers[1]])
      expect(queue.taken()).toBe(3)
    }),
  )

  it(
    "hands over many writes at once where the child queues them, and makes the next callers wait as elsewhere",
    effect(function* () {
      const reading = yield* Latch.make(false)
      const begun: Array<number> = []
      const write = (bytes: Uint8Array) => {
        begun.push(bytes[0] ?? 0)
        return reading.await
      }
      const queue = yield* StdinQueue.make({ write, queuesInput: true, endStdin: Effect.void })
      const writes = Array.from({ length: 140 }, (_, index) => queue.write(one(index), `${index}`))
      const fibers = yield* Effect.forEach(writes, (each) => Effect.forkChild(each))
      yield* settle
      expect(begun).toEqual(Array.from({ length: StdinQueue.capacity }, (_, index) => index))
      expect(fibers.filter((fiber) => fiber.pollUnsafe() !== undefined).length).toBe(StdinQueue.capacity + 1)
      yield* reading.open
      yield* Fiber.joinAll(fibers)
      yield* settle
      expect(begun.length).toBe(140)
      expect(queue.taken()).toBe(140)
    }),
  )

  it(
    "keeps the order of the calls, whether they wait or not",
    effect(function* () {
      const { reading, taken, queue } = yield* makeSlow
      const writes = Array.from({ length: 3000 }, (_, index) => queue.write(one(index), `${index}`))
      const fibers = yield* Effect.all(
        writes.map((_, index) => Effect.forkChild(writes[2999 - index] ?? Effect.void)),
      )
      yield* reading.open
      yield* Fiber.joinAll(fibers)
      yield* settle
      while (taken.length < 3000) yield* settle
      expect(taken).toEqual(Array.from({ length: 3000 }, (_, index) => index))
    }),
  )

  it(
    "gives memory back when the child has taken it, not before, and none that was not taken",
    effect(function* () {
      const pool = new MemoryPool()
      const reading = yield* Latch.make(false)
      const taken: Array<number> = []
      const queue = yield* make((bytes) =>
        Effect.flatMap(reading.await, () =>
          (bytes[0] ?? 0) === 9
            ? Effect.fail(new StdinError({ reason: "Closed" }))
            : Effect.sync(() => see(bytes)),
        ),
      )
      const see = (bytes: Uint8Array) =>
        void taken.push(bytes.every((byte) => byte === bytes[0]) ? (bytes[0] ?? 0) : -1)
      const take = (value: number) => pool.take(65_536).fill(value)
      const first = take(1)
      const rest = [take(2), take(9), take(3)]
      for (const [index, bytes] of [first, ...rest].entries()) yield* queue.write(bytes, `${index}`)
      // A taker of memory from the pool now writes to it, while the child has not read.
      const poison = Array.from({ length: 4 }, () => take(77))
      const ours = [first, ...rest].map(({ buffer }) => buffer)
      for (const { buffer } of poison) expect(ours).not.toContain(buffer)
      yield* reading.open
      while (taken.length < 3) yield* settle
      expect(taken).toEqual([1, 2, 3])
      const again = new Set(Array.from({ length: 8 }, () => take(88).buffer))
      expect(ours.map((buffer) => again.has(buffer))).toEqual([true, true, false, true])
    }),
  )

  it(
    "has room for 5,000 waiting writers that a child takes all at once",
    effect(function* () {
      let slow = true
      let written = 0
      const first = yield* Latch.make(false)
      const queue = yield* make(() =>
        Effect.suspend(() => {
          written += 1
          return slow ? first.await : Effect.void
        }),
      )
      const writes = Array.from({ length: 5000 }, (_, index) => queue.write(one(index), undefined))
      slow = false
      yield* first.open
      yield* Effect.all(writes, { concurrency: "unbounded" })
      yield* settle
      expect(written).toBe(5000)
    }),
  )

  it(
    "drops a waiting write whose caller is interrupted",
    effect(function* () {
      const { reading, taken, queue } = yield* makeSlow
      for (let index = 0; index < StdinQueue.capacity + 1; index++) yield* queue.write(one(index), `${index}`)
      const waiting = yield* Effect.forkChild(queue.write(one(999), "gone"))
      yield* settle
      yield* Fiber.interrupt(waiting)
      yield* reading.open
      yield* settle
      expect(taken).not.toContain(999)
      expect(queue.knows("gone")).toBe(false)
    }),
  )

  it(
    "goes on behind a write that failed or broke",
    effect(function* () {
      let calls = 0
      const queue = yield* make(() =>
        Effect.suspend(() => {
          calls += 1
          return calls === 1
            ? Effect.fail(new StdinError({ reason: "Closed" }))
            : calls === 2
              ? Effect.die(new Error("broken"))
              : Effect.void
        }),
      )
      for (let index = 0; index < 4; index++) yield* queue.write(one(index), undefined)
      yield* settle
      expect(calls).toBe(4)
    }),
  )

  it(
    "ends stdin behind what was written before, also what waits, and takes nothing after",
    effect(function* () {
      const log: Array<string> = []
      const reading = yield* Latch.make(false)
      const queue = yield* StdinQueue.make({
        write: (bytes) =>
          Effect.andThen(
            reading.await,
            Effect.sync(() => void log.push(`${bytes[0]}`)),
          ),
        endStdin: Effect.sync(() => void log.push("end")),
      })
      const count = StdinQueue.capacity + 10
      for (let index = 0; index < count; index++) queue.write(one(index), `${index}`)
      queue.end()
      expect(queue.ended()).toBe(false)
      yield* reading.open
      yield* settle
      queue.write(one(200), "late")
      yield* settle
      expect(queue.ended()).toBe(true)
      expect(log).toEqual([...Array.from({ length: count }, (_, index) => `${index}`), "end"])
    }),
  )

  it(
    "drops what waits and lets every caller go when it is closed",
    effect(function* () {
      const { reading, taken, queue } = yield* makeSlow
      for (let index = 0; index < StdinQueue.capacity + 1; index++) yield* queue.write(one(index), `${index}`)
      const waiting = yield* Effect.all(
        [998, 999].map((value) => Effect.forkChild(queue.write(one(value), `${value}`))),
      )
      yield* settle
      queue.close()
      yield* Fiber.joinAll(waiting)
      yield* reading.open
      yield* queue.write(one(5), "later")
      yield* settle
      expect(taken).toEqual([0])
      expect(queue.knows("later")).toBe(true)
    }),
  )
})
