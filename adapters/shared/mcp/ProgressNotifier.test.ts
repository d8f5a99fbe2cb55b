import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as ProgressNotifier from "./ProgressNotifier.ts"

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("Progress", () => {
  it("sends at once, then at most every 100 ms, with what came meanwhile", () =>
    run(
      Effect.gen(function* () {
        const sent: Array<ProgressNotifier.Notification> = []
        const { onOutput } = yield* ProgressNotifier.make((about) => Effect.sync(() => void sent.push(about)))
        yield* TestClock.adjust(5)
        for (const text of ["a", "b", "c"]) {
          onOutput?.({ sessionId: 1, text })
          yield* TestClock.adjust(40)
        }
        expect(sent).toEqual([
          { progress: 5, message: "a" },
          { progress: 105, message: "bc" },
        ])
      }).pipe(Effect.scoped),
    ))

  it("gives a sign of life every 5 seconds of silence, and none after the scope", () =>
    run(
      Effect.gen(function* () {
        const sent: Array<number> = []
        const watching = yield* Effect.forkChild(
          Effect.scoped(
            Effect.andThen(
              ProgressNotifier.make(({ progress }) => Effect.sync(() => void sent.push(progress))),
              Effect.sleep(12_000),
            ),
          ),
        )
        yield* TestClock.adjust(60_000)
        yield* Fiber.join(watching)
        expect(sent).toEqual([5_000, 10_100])
      }),
    ))

  it("keeps the last 4096 characters while nothing can be sent, and cuts no character in two", () =>
    run(
      Effect.gen(function* () {
        const sent: Array<string | undefined> = []
        const stuck = yield* Latch.make(false)
        const { onSession, onOutput } = yield* ProgressNotifier.make(({ message }) =>
          Effect.andThen(
            Effect.sync(() => void sent.push(message)),
            stuck.await,
          ),
        )
        onSession?.(1234)
        yield* TestClock.adjust(1)
        for (let i = 0; i < 100; i++) onOutput?.({ sessionId: 1, text: `${"𝄞".repeat(1_000)}x` })
        yield* stuck.open
        yield* TestClock.adjust(1_000)
        expect(sent[0]).toBe("Process running with session ID 1234\n")
        expect(sent).toHaveLength(2)
        expect(sent[1]).toHaveLength(4_095)
        expect(sent[1]).toMatch(/^𝄞.*x$/su)
      }).pipe(Effect.scoped),
    ))
})
