import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import type { Json } from "../protocol/Json.ts"
import { effect, settle } from "../testing/Effects.ts"
import { ClientError } from "./ClientError.ts"
import * as CurrentConnection from "./CurrentConnection.ts"

const loss = (message: string) => new ClientError({ reason: "Disconnected", message })

/** A connection that answers, or fails, when the test says so. */
const scripted = () => {
  const asked: Array<string> = []
  const answers: Array<Deferred.Deferred<Json, ClientError>> = []
  const held: Array<boolean> = []
  return {
    asked,
    held,
    hold: (value: boolean) => void held.push(value),
    ask: (method: string) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<Json, ClientError>()
        asked.push(method)
        answers.push(answer)
        return yield* Deferred.await(answer)
      }),
    answer: (result: Json) => Effect.forEach(answers, (answer) => Deferred.succeed(answer, result)),
    break: Effect.suspend(() => Effect.forEach(answers, (answer) => Deferred.fail(answer, loss("broken")))),
  }
}

describe("CurrentConnection", () => {
  it(
    "lets requests wait for the first connection and sends them there",
    effect(function* () {
      const current = CurrentConnection.make()
      const asking = yield* Effect.forkChild(current.ask("a", {}, false))
      yield* settle
      const connection = scripted()
      current.connected(connection)
      yield* settle
      expect(connection.asked).toEqual(["a"])
      yield* connection.answer(1)
      expect(yield* Fiber.join(asking)).toBe(1)
    }),
  )

  it(
    "fails what must not be repeated, and sends again what may be, once the loss is known",
    effect(function* () {
      const current = CurrentConnection.make()
      const [first, second] = [scripted(), scripted()]
      current.connected(first)
      const once = yield* Effect.forkChild(Effect.flip(current.ask("once", {}, false)))
      const twice = yield* Effect.forkChild(current.ask("twice", {}, true))
      yield* settle
      yield* first.break
      yield* settle
      expect(first.asked).toEqual(["once", "twice"])
      expect((yield* Fiber.join(once)).message).toBe("broken")
      current.lost()
      const during = yield* Effect.forkChild(current.ask("during", {}, false))
      yield* settle
      current.connected(second)
      yield* settle
      expect(first.asked.length).toBe(2)
      expect([...second.asked].sort()).toEqual(["during", "twice"])
      yield* second.answer("done")
      expect(yield* Fiber.join(twice)).toBe("done")
      expect(yield* Fiber.join(during)).toBe("done")
    }),
  )

  it(
    "passes on every other failure of a request",
    effect(function* () {
      const current = CurrentConnection.make()
      const refused = new ClientError({ reason: "Server", message: "no", code: -32600 })
      current.connected({ ask: () => Effect.fail(refused), hold: () => {} })
      expect(yield* Effect.flip(current.ask("a", {}, true))).toBe(refused)
    }),
  )

  it(
    "fails every request with the first reason once there will be no connection any more",
    effect(function* () {
      const current = CurrentConnection.make()
      const connection = scripted()
      current.connected(connection)
      const sent = yield* Effect.forkChild(Effect.flip(current.ask("sent", {}, true)))
      yield* settle
      current.lost()
      const waiting = yield* Effect.forkChild(Effect.flip(current.ask("waiting", {}, true)))
      yield* settle
      expect([current.end(loss("over")), current.end(loss("again"))]).toEqual([true, false])
      yield* connection.break
      const later = yield* Effect.flip(current.ask("later", {}, true))
      for (const error of [yield* Fiber.join(sent), yield* Fiber.join(waiting), later])
        expect(error.message).toBe("over")
      expect(current.ended()?.message).toBe("over")
      expect((yield* current.disconnected).message).toBe("over")
    }),
  )

  it(
    "fails a request on its way when the client ends before the connection does",
    effect(function* () {
      const current = CurrentConnection.make()
      const connection = scripted()
      current.connected(connection)
      const sent = yield* Effect.forkChild(Effect.flip(current.ask("sent", {}, true)))
      yield* settle
      current.end(loss("closed"))
      yield* connection.break
      expect((yield* Fiber.join(sent)).message).toBe("closed")
    }),
  )

  it("holds the connection that it has", () => {
    const current = CurrentConnection.make()
    const connection = scripted()
    current.hold(true)
    current.connected(connection)
    current.hold(true)
    current.hold(false)
    current.lost()
    current.hold(true)
    expect(connection.held).toEqual([true, false])
  })
})
