import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { expect, it } from "vitest"
import * as OrderlyClose from "./OrderlyClose.ts"

it("succeeds for the scope, too, when whoever began it was interrupted while the rest was being sent", async () => {
  const happened: Array<string> = []
  const sending = Effect.runSync(Latch.make())
  const closed = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const close = yield* Scope.provide(
      OrderlyClose.make({
        stop: () => happened.push("stop"),
        queue: { flush: Effect.andThen(sending.open, Effect.never), queued: () => 1 },
        peerEnded: Effect.never,
        gone: () => false,
        destroy: () => happened.push("destroy"),
      }),
      scope,
    )
    const first = yield* Effect.forkChild(close)
    yield* sending.await
    yield* Fiber.interrupt(first)
    return yield* Effect.exit(Scope.close(scope, Exit.void))
  })
  expect(await Effect.runPromise(closed)).toEqual(Exit.void)
  expect(happened).toEqual(["stop", "destroy"])
})

/** Runs a close whose flush is this one; how it went. */
const closing = async (flush: Effect.Effect<void>, queued: () => number) => {
  const happened: Array<string> = []
  const steps = {
    stop: () => happened.push("stop"),
    queue: {
      flush: Effect.andThen(
        flush,
        Effect.sync(() => happened.push("flushed")),
      ),
      queued,
    },
    peerEnded: Effect.void,
    gone: () => false,
    destroy: () => happened.push("destroy"),
  }
  const closed = Effect.scoped(Effect.flatMap(OrderlyClose.make(steps), (close) => close))
  await Effect.runPromise(closed)
  return happened
}

it("sends what is queued though the program was not run for a while", async () => {
  const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
  const starved = Effect.sync(() => {
    for (const until = Date.now() + 700; Date.now() < until;);
  })
  const soon = Effect.andThen(turn, Effect.andThen(starved, Effect.repeat(turn, { times: 10 })))
  expect(await closing(soon, () => 1)).toEqual(["stop", "flushed", "destroy"])
})

it("goes on while the peer takes something, and gives up when it takes nothing more", async () => {
  let left = 15
  const queued = () => (left > 0 ? left-- : 0)
  expect(await closing(Effect.never, queued)).toEqual(["stop", "destroy"])
  expect(left).toBe(0)
})
