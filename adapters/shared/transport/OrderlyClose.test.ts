import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { expect, it } from "vitest"
import * as OrderlyClose from "./OrderlyClose.ts"

it("succeeds for the scope, too, when whoever began it was interrupted while the rest was being sent", async () => {
  const happened: Array<string> = []
  const sending = Effect.runSync(Effect.makeLatch())
  const closed = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const close = yield* Scope.extend(
      OrderlyClose.make({
        stop: () => happened.push("stop"),
        flush: Effect.zipRight(sending.open, Effect.never),
        peerEnded: Effect.never,
        destroy: () => happened.push("destroy"),
      }),
      scope,
    )
    const first = yield* Effect.fork(close)
    yield* sending.await
    yield* Fiber.interrupt(first)
    return yield* Effect.exit(Scope.close(scope, Exit.void))
  })
  expect(await Effect.runPromise(closed)).toEqual(Exit.void)
  expect(happened).toEqual(["stop", "destroy"])
})
