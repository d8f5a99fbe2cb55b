import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { BoundedQueue } from "./BoundedQueue.ts"

const drain = (queue: BoundedQueue<number>) => {
  const items: Array<number> = []
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) items.push(next)
  return items
}

describe("BoundedQueue", () => {
  it("takes items at the call while there is room, and admits waiting producers in order", () => {
    const queue = new BoundedQueue<number>(2)
    for (const item of [1, 2, 3, 4, 5]) queue.whenRoom(() => queue.push(item))
    expect(queue.shift()).toBe(1)
    queue.whenRoom(() => queue.push(6))
    expect(drain(queue)).toEqual([2, 3, 4, 5, 6])
  })

  it(
    "gives up the place of a producer that is interrupted",
    effect(function* () {
      const queue = new BoundedQueue<number>(1)
      const abandoned: Array<number> = []
      const produce = (item: number) =>
        queue.whenRoom(
          () => queue.push(item),
          () => abandoned.push(item),
        )
      yield* produce(1)
      const waiting = yield* Effect.forkChild(produce(2))
      const behind = yield* Effect.forkChild(produce(3))
      yield* settle
      yield* Fiber.interrupt(waiting)
      expect(drain(queue)).toEqual([1, 3])
      expect(abandoned).toEqual([2])
      yield* Fiber.join(behind)
    }),
  )

  it(
    "drops everything and lets everybody go when it is closed",
    effect(function* () {
      const queue = new BoundedQueue<number>(1)
      const accepted: Array<number> = []
      const produce = (item: number) =>
        queue.whenRoom(() => {
          accepted.push(item)
          queue.push(item)
        })
      yield* produce(1)
      const waiting = yield* Effect.forkChild(produce(2))
      yield* settle
      queue.close()
      yield* Fiber.join(waiting)
      yield* produce(3)
      expect(accepted).toEqual([1, 2, 3])
      expect(queue.shift()).toBeUndefined()
    }),
  )
})
