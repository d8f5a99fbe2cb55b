import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { Disconnected, PendingCalls } from "./Connection.ts"

/** Two calls that wait for their answers, 1 and 2. */
const twoCalls = Effect.gen(function* () {
  const calls = new PendingCalls()
  const sent: Array<number> = []
  const givenUp: Array<number> = []
  const call = Effect.forkChild(
    calls.call(
      (id) => sent.push(id),
      (id) => givenUp.push(id),
    ),
  )
  const fibers = [yield* call, yield* call] as const
  yield* settle
  return { calls, sent, givenUp, fibers }
})

describe("PendingCalls", () => {
  it(
    "gives each answer to the call of its id, once",
    effect(function* () {
      const { calls, sent, fibers } = yield* twoCalls
      expect(sent).toEqual([1, 2])
      expect(calls.answer(2, Exit.succeed("second"))).toBe(true)
      expect(calls.answer(1, Exit.succeed("first"))).toBe(true)
      expect([yield* Fiber.join(fibers[0]), yield* Fiber.join(fibers[1])]).toEqual(["first", "second"])
      expect([calls.answer(1, Exit.succeed(null)), calls.answer("2", Exit.succeed(null))]).toEqual([
        false,
        false,
      ])
    }),
  )

  it(
    "accepts the answer to an interrupted call, once",
    effect(function* () {
      const { calls, fibers } = yield* twoCalls
      yield* Fiber.interrupt(fibers[0])
      expect([calls.answer(1, Exit.succeed(null)), calls.answer(1, Exit.succeed(null))]).toEqual([
        true,
        false,
      ])
    }),
  )

  it(
    "gives up the call that is interrupted before its answer, and no other",
    effect(function* () {
      const { calls, givenUp, fibers } = yield* twoCalls
      calls.answer(1, Exit.succeed(null))
      yield* Fiber.interrupt(fibers[0])
      yield* Fiber.interrupt(fibers[1])
      expect(givenUp).toEqual([2])
    }),
  )

  it(
    "gives up nothing on a connection that has ended",
    effect(function* () {
      const { calls, givenUp, fibers } = yield* twoCalls
      calls.end(new Disconnected({ message: "gone", sent: true }))
      for (const fiber of fibers) yield* Fiber.interrupt(fiber)
      expect(givenUp).toEqual([])
    }),
  )

  it(
    "fails the calls that wait and those that come later when the connection ends",
    effect(function* () {
      const { calls, sent, fibers } = yield* twoCalls
      const ended = new Disconnected({ message: "gone", sent: true })
      calls.end(ended)
      expect(yield* Effect.flip(Fiber.join(fibers[0]))).toBe(ended)
      const unsent = { _tag: "Disconnected", message: "gone", sent: false }
      expect(yield* Effect.flip(calls.call((id) => sent.push(id)))).toMatchObject(unsent)
      expect(sent).toEqual([1, 2])
    }),
  )
})
