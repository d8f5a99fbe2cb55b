import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Turn from "./Turn.ts"

/** Ends in a later turn of the event loop. */
const later = Effect.callback<void>((done) => {
  setTimeout(() => done(Effect.void), 0)
})

it(
  "runs one at a time, in the order of asking",
  effect(function* () {
    const turn = Turn.make()
    const told: Array<string> = []
    const job = (name: string) =>
      turn(
        Effect.gen(function* () {
          told.push(`${name} begins`)
          yield* later
          told.push(`${name} ends`)
        }),
      )
    yield* Effect.all([job("a"), job("b"), job("c")], { concurrency: "unbounded" })
    expect(told).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
  }),
)

it(
  "lets others in between the rounds of a loop",
  effect(function* () {
    const turn = Turn.make()
    let rounds = 0
    const loop = yield* Effect.forkChild(
      Effect.repeat(turn(Effect.map(later, () => (rounds += 1))), { times: 100 }),
    )
    for (let asked = 1; asked <= 3; asked += 1) {
      yield* settle
      const before = rounds
      yield* turn(Effect.void)
      expect(rounds - before).toBeLessThan(2)
    }
    yield* Fiber.interrupt(loop)
  }),
)

it(
  "is handed on by who fails, and by who is interrupted while it runs, waits, or was just handed it",
  effect(function* () {
    const turn = Turn.make()
    yield* Effect.exit(turn(Effect.fail("no")))
    for (let steps = 0; steps < 5; steps += 1) {
      const running = yield* Effect.forkChild(turn(Effect.never))
      const waiting = yield* Effect.forkChild(turn(Effect.never))
      const handed = yield* Effect.forkChild(turn(Effect.never))
      yield* settle
      yield* Fiber.interrupt(waiting)
      running.interruptUnsafe()
      for (let step = 0; step < steps; step += 1) yield* Effect.yieldNow
      handed.interruptUnsafe()
      yield* Fiber.await(running)
      yield* Fiber.await(handed)
      expect(yield* turn(Effect.succeed("mine"))).toBe("mine")
    }
  }),
)
