import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as ForkIn from "../protocol/Fork.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as ClientConnection from "./ClientConnection.ts"
import { ClientError } from "./ClientError.ts"
import * as ProcessFollower from "./ProcessFollower.ts"

/** A shared run whose effect ends on request. */
const shared = Effect.gen(function* () {
  const runs: Array<Deferred.Deferred<void, ClientError>> = []
  const effect = Effect.flatMap(Deferred.make<void, ClientError>(), (end) => {
    runs.push(end)
    return Deferred.await(end)
  })
  const run = ProcessFollower.shared(effect, yield* ForkIn.inScope)
  return { runs, ask: Effect.tap(Effect.forkChild(run), settle) }
})

describe("a shared run", () => {
  it(
    "is followed by one more for all who ask meanwhile",
    effect(function* () {
      const { runs, ask } = yield* shared
      const asking = [yield* ask, yield* ask, yield* ask]
      expect(runs.length).toBe(1)
      yield* Deferred.succeed(runs[0]!, undefined)
      yield* settle
      expect(runs.length).toBe(2)
      yield* Deferred.succeed(runs[1]!, undefined)
      yield* Fiber.joinAll(asking)
      expect(runs.length).toBe(2)
      yield* ask
      expect(runs.length).toBe(3)
    }),
  )

  it(
    "goes on without who has begun it, and fails for all, and begins again after that",
    effect(function* () {
      const { runs, ask } = yield* shared
      const [first, second] = [yield* ask, yield* ask]
      yield* Fiber.interrupt(first)
      const error = new ClientError({ reason: "Server", message: "no" })
      yield* Deferred.fail(runs[0]!, error)
      expect(yield* Effect.flip(Fiber.join(second))).toBe(error)
      yield* ask
      expect(runs.length).toBe(2)
    }),
  )

  it(
    "ends for who waits when the client is closed",
    effect(function* () {
      const { ask } = yield* Effect.scoped(shared)
      expect(yield* Effect.flip(Fiber.join(yield* ask))).toBe(ClientConnection.clientClosed)
    }),
  )
})
