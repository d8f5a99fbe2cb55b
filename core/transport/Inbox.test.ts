import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Inbox from "./Inbox.ts"
import { incomingCapacity, incomingSize, TransportError } from "./Transport.ts"

/** An inbox, and its reports to its source. */
const make = Effect.gen(function* () {
  const progress: Array<number> = []
  return { progress, inbox: yield* Inbox.make((waiting) => progress.push(waiting)) }
})

const taken = (inbox: Inbox.Inbox) => Effect.map(inbox.incoming.takeAll, ([messages]) => messages)

describe("Inbox", () => {
  it(
    "lets messages above its capacity wait, delivers all in order, and tells the source how much still waits",
    effect(function* () {
      const { inbox, progress } = yield* make
      const offered = Array.from({ length: incomingCapacity + 2 }, (_, index) => inbox.offer(`${index % 10}`))
      expect(offered.slice(-3)).toEqual([true, false, false])
      expect(inbox.waiting()).toBe(2)
      const first = yield* taken(inbox)
      yield* settle
      expect(progress).toEqual([0])
      const all = [...first, ...(yield* taken(inbox))]
      expect(all).toEqual(Array.from({ length: incomingCapacity + 2 }, (_, index) => `${index % 10}`))
    }),
  )

  it(
    "takes one message beyond its size, and no more",
    effect(function* () {
      const { inbox } = yield* make
      const half = "x".repeat(incomingSize / 2 + 1)
      expect([inbox.offer(half), inbox.offer(half), inbox.offer("y")]).toEqual([true, true, false])
      yield* taken(inbox)
      yield* settle
      expect(yield* taken(inbox)).toEqual(["y"])
    }),
  )

  it(
    "ends behind what was delivered, also behind what waits, and takes nothing after",
    effect(function* () {
      const { inbox } = yield* make
      for (let index = 0; index <= incomingCapacity; index++) inbox.offer("x")
      inbox.end(new TransportError({ reason: "Io", message: "broken" }))
      expect(inbox.offer("late")).toBe(true)
      let count = 0
      const failure = yield* Effect.flip(
        Effect.forever(
          Effect.map(inbox.incoming.take, () => {
            count += 1
          }),
        ),
      )
      expect(count).toBe(incomingCapacity + 1)
      expect(failure).toMatchObject({ message: "broken" })
    }),
  )
})
