/** Tests Requests.ts and Connection.ts: requests that are cancelled. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Memory from "../transport/Memory.ts"
import * as Connection from "./Connection.ts"
import { connect, ok, received, send } from "./testing/Connect.ts"

const cancelled = (id: number) => `{"error":{"code":-32800,"message":"request was cancelled"},"id":${id}}`

describe("a cancelled request", () => {
  it(
    "is interrupted, answered once, and leaves its slot to the next one",
    effect(function* () {
      let ended = 0
      const slow = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (ended += 1)))
      const { peer, connection, begun } = yield* connect({ slow, slowNext: ok }, 2)
      send(peer, { id: 1, method: "slow" }, { id: 2, method: "slow" }, { id: 3, method: "slowNext" })
      expect(yield* received(peer)).toEqual([])
      connection.cancel(1)
      expect(yield* received(peer)).toEqual([cancelled(1), '{"id":3,"result":"ok"}'])
      connection.cancel(1)
      connection.cancel(2)
      expect(yield* received(peer)).toEqual([cancelled(2)])
      expect([ended, begun]).toEqual([2, ["slow", "slow", "slowNext"]])
    }),
  )

  it(
    "never begins if it still waits for a slot",
    effect(function* () {
      const gate = yield* Deferred.make<string>()
      const { peer, connection, begun } = yield* connect({ slowKeep: Deferred.await(gate), slow: ok }, 1)
      send(
        peer,
        { id: 1, method: "slowKeep" },
        { id: 2, method: "slow" },
        { id: 3, method: "slow" },
        { id: 4, method: "slowKeep" },
      )
      yield* settle
      connection.cancel(2)
      connection.cancel(4)
      expect(yield* received(peer)).toEqual([cancelled(2)])
      yield* Deferred.succeed(gate, '"ok"')
      expect(yield* received(peer)).toEqual([1, 3, 4].map((id) => `{"id":${id},"result":"ok"}`))
      expect(begun).toEqual(["slowKeep", "slow", "slowKeep"])
    }),
  )

  it(
    "is answered when it can be interrupted, and its hook is told that its result was dropped",
    effect(function* () {
      const gate = yield* Deferred.make<string>()
      const heard: Array<boolean> = []
      const { peer, connection } = yield* connect({
        x: (afterReply) =>
          Effect.uninterruptible(
            Effect.tap(Deferred.await(gate), () =>
              Effect.sync(() => afterReply((answered) => heard.push(answered))),
            ),
          ),
      })
      send(peer, { id: 1, method: "x" })
      yield* settle
      connection.cancel(1)
      expect(yield* received(peer)).toEqual([])
      yield* Deferred.succeed(gate, '"ok"')
      expect(yield* received(peer)).toEqual([cancelled(1)])
      expect(heard).toEqual([false])
    }),
  )

  it(
    "is answered when what it holds is released",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { peer, connection } = yield* connect({ x: Effect.ensuring(Effect.never, Deferred.await(gate)) })
      send(peer, { id: 1, method: "x" })
      yield* settle
      connection.cancel(1)
      expect(yield* received(peer)).toEqual([])
      yield* Deferred.succeed(gate, undefined)
      expect(yield* received(peer)).toEqual([cancelled(1)])
    }),
  )

  it(
    "runs on if its method may not be cancelled, and so does every other one",
    effect(function* () {
      const gate = yield* Deferred.make<string>()
      const { peer, connection } = yield* connect({ keep: Deferred.await(gate), x: Deferred.await(gate) })
      connection.cancel(2)
      send(peer, { id: 1, method: "keep" }, { id: 2, method: "x" })
      yield* settle
      for (const id of [1, "1", "2", 3, -1, 2n ** 60n, ""]) connection.cancel(id)
      yield* Deferred.succeed(gate, '"ok"')
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}', '{"id":2,"result":"ok"}'])
    }),
  )

  it(
    "is not answered any more when its connection has refused it",
    effect(function* () {
      const { peer, connection } = yield* connect({ x: Effect.never })
      send(peer, { id: 1, method: "x" })
      yield* settle
      connection.cancel(1)
      connection.leave({ code: 7, message: "left" } as never, '"bye"')
      const left = '{"error":{"code":7,"message":"left"},"id":1}'
      expect([
        [cancelled(1), '"bye"'],
        [left, '"bye"'],
      ]).toContainEqual(yield* received(peer))
    }),
  )
})

describe("a call that is interrupted", () => {
  it(
    "is cancelled by its id where the peer is to be told, once, and not after its answer",
    effect(function* () {
      const [peer, transport] = yield* Memory.makePair()
      const receiver = { request: () => ok, slotted: () => false, notification: () => true }
      const connection = yield* Connection.make(transport, receiver, {
        concurrentRequests: 1,
        cancels: (method) => method === "x",
      })
      yield* Effect.forkChild(connection.run)
      const calls = ["x", "keep", "x"].map((method) => connection.call(method, {}))
      const fibers = yield* Effect.all(calls.map((call) => Effect.forkChild(call)))
      expect(yield* received(peer)).toHaveLength(3)
      send(peer, { id: 3, result: null })
      yield* settle
      yield* Effect.forEach([...fibers, ...fibers], Fiber.interrupt)
      expect(yield* received(peer)).toEqual(['{"method":"request/cancel","params":{"id":1}}'])
      send(
        peer,
        { id: 1, error: { code: -32800, message: "" } },
        { id: 2, result: 1 },
        { id: 9, method: "y" },
      )
      expect(yield* received(peer)).toEqual(['{"id":9,"result":"ok"}'])
    }),
  )
})
