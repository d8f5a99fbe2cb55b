import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Activity from "./Activity.ts"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as FileWatch from "./FileWatch.ts"

const lost = new ClientError({ reason: "Disconnected", message: "the connection is lost" })

/** A client whose requests are answered by the test, one after the other. */
const watching = Effect.sync(() => {
  const asked: Array<Deferred.Deferred<{ watching: boolean }, ClientError>> = []
  const call = () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<{ watching: boolean }, ClientError>()
      asked.push(answer)
      return yield* Deferred.await(answer)
    })
  const activity = Activity.make()
  const watches = FileWatch.make(call as unknown as Call, () => {}, activity)
  return { asked, watches }
})

describe("FileWatch", () => {
  it(
    "makes a watch again that a lost connection may have taken, and one that was answered fails with it",
    effect(function* () {
      const { asked, watches } = yield* watching
      const made = yield* Effect.forkChild(watches.watch(["file:///a"], null))
      yield* settle
      // The request waits for the next connection, or its answer has come over the lost one: both are possible.
      watches.lost(lost)
      yield* Deferred.succeed(asked[0]!, { watching: true })
      yield* settle
      expect(asked.length).toBe(2)
      yield* Deferred.succeed(asked[1]!, { watching: true })
      const { watching: is, changed } = yield* Fiber.join(made)
      expect(is).toBe(true)
      const change = yield* Effect.forkChild(changed)
      yield* settle
      watches.changed({ watchId: 1 })
      expect(yield* Fiber.join(change)).toBe(true)
      expect(asked.length).toBe(2)

      const next = yield* Effect.forkChild(watches.watch(["file:///b"], null))
      yield* settle
      yield* Deferred.succeed(asked[2]!, { watching: true })
      const { changed: late } = yield* Fiber.join(next)
      watches.lost(lost)
      expect(yield* Effect.flip(late)).toBe(lost)
    }),
  )

  it(
    "takes the change of a watch that begins as soon as the one before it has failed or changed",
    effect(function* () {
      const { asked, watches } = yield* watching
      const begin = Effect.gen(function* () {
        const made = yield* Effect.forkChild(watches.watch(["file:///a"], null))
        yield* settle
        yield* Deferred.succeed(asked.at(-1)!, { watching: true })
        return (yield* Fiber.join(made)).changed
      })
      const again = Effect.flatMap(watches.watch(["file:///b"], null), ({ changed }) => changed)

      const first = yield* begin
      const afterLoss = yield* Effect.forkChild(Effect.catch(first, () => again))
      yield* settle
      watches.lost(lost)
      yield* Deferred.succeed(asked.at(-1)!, { watching: true })
      yield* settle
      watches.changed({ watchId: 2 })
      yield* settle
      expect(afterLoss.pollUnsafe()).toEqual(Exit.succeed(true))

      const third = yield* begin
      const afterChange = yield* Effect.forkChild(Effect.andThen(third, again))
      yield* settle
      watches.changed({ watchId: 3 })
      yield* Deferred.succeed(asked.at(-1)!, { watching: true })
      yield* settle
      watches.changed({ watchId: 4 })
      yield* settle
      expect(afterChange.pollUnsafe()).toEqual(Exit.succeed(true))
    }),
  )
})
