import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { connect, ok, quietly, received, send } from "./testing/Connect.ts"

/** An answer of 1 MiB. */
const mebibyte = JSON.stringify("x".repeat(1024 * 1024))

describe("Requests", () => {
  it(
    "answers two requests of the same id both",
    effect(function* () {
      const gate = yield* Deferred.make<string>()
      const { peer } = yield* connect({ a: Deferred.await(gate), b: ok })
      send(peer, { id: 1, method: "a" }, { id: 1, method: "b" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}'])
      yield* Deferred.succeed(gate, '"late"')
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"late"}'])
    }),
  )

  it(
    "lets a violation overtake requests that wait for a slot",
    effect(function* () {
      const { peer, running, begun } = yield* connect({ slow: Effect.never }, 2)
      send(peer, ...[1, 2, 3, 4].map((id) => ({ id, method: "slow" })), { method: "bogus" })
      yield* Fiber.join(running)
      expect(begun).toEqual(["slow", "slow"])
      yield* peer.incoming.await
    }),
  )

  it(
    "runs slotted requests one at a time and in order where only one may run",
    effect(function* () {
      const gates = yield* Effect.all([1, 2, 3].map(() => Deferred.make<string>()))
      const handlers = Object.fromEntries(gates.map((gate, index) => [`slow${index}`, Deferred.await(gate)]))
      const { peer, begun } = yield* connect(handlers, 1)
      send(peer, ...[0, 1, 2].map((id) => ({ id, method: `slow${id}` })))
      for (const [index, gate] of gates.entries()) {
        expect(yield* received(peer)).toEqual(index === 0 ? [] : [`{"id":${index - 1},"result":"ok"}`])
        expect(begun.length).toBe(index + 1)
        yield* Deferred.succeed(gate, '"ok"')
      }
      expect(yield* received(peer)).toEqual(['{"id":2,"result":"ok"}'])
    }),
  )

  it(
    "lets requests that need no slot overtake those that wait for one",
    effect(function* () {
      const gate = yield* Deferred.make<string>()
      const { peer } = yield* connect({ slow: Deferred.await(gate), quick: ok }, 2)
      send(
        peer,
        ...[1, 2, 3].map((id) => ({ id, method: "slow" })),
        { id: 4, method: "quick" },
        { id: 5, method: "unknown" },
      )
      expect(yield* received(peer)).toEqual([
        '{"id":4,"result":"ok"}',
        '{"error":{"code":-1,"message":"unknown"},"id":5}',
      ])
      yield* Deferred.succeed(gate, '"ok"')
      expect([...(yield* received(peer))].sort()).toEqual([1, 2, 3].map((id) => `{"id":${id},"result":"ok"}`))
    }),
  )

  it(
    "answers 5,000 pipelined requests over one slot in their order",
    effect(function* () {
      const { peer } = yield* connect({ slow: Effect.andThen(Effect.yieldNow, ok), slowSync: ok }, 1)
      const ids = Array.from({ length: 5000 }, (_, id) => id)
      send(peer, ...ids.map((id) => ({ id, method: id % 1000 === 0 ? "slow" : "slowSync" })))
      const answers: Array<string> = []
      while (answers.length < ids.length) answers.push(yield* peer.incoming.take)
      expect(answers).toEqual(ids.map((id) => `{"id":${id},"result":"ok"}`))
    }),
  )

  it(
    "answers a defect of a handler with -32603 and lives",
    effect(function* () {
      const { peer } = yield* quietly({
        die: Effect.die(new Error("oh no")),
        later: Effect.andThen(Effect.yieldNow, Effect.die(new Error("oh no"))),
        throw: () => {
          throw new Error("oh no")
        },
        x: ok,
      })
      send(
        peer,
        { id: 1, method: "die" },
        { id: 2, method: "later" },
        { id: 3, method: "throw" },
        { id: 4, method: "x" },
      )
      const answers = (yield* received(peer)).map((text): unknown => JSON.parse(text))
      const defect = { code: -32603, message: expect.stringContaining("oh no") as string }
      expect(answers).toEqual([
        { error: defect, id: 1 },
        { error: defect, id: 3 },
        { id: 4, result: "ok" },
        { error: defect, id: 2 },
      ])
    }),
  )

  it(
    "runs the hook of a request right after its answer",
    effect(function* () {
      const { peer, connection } = yield* connect({
        x: (afterReply) => {
          afterReply(() => connection.write("hook"))
          return ok
        },
        y: ok,
      })
      send(peer, { id: 1, method: "x" }, { id: 2, method: "y" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}', "hook", '{"id":2,"result":"ok"}'])
    }),
  )

  it(
    "interrupts the requests that wait when the peer goes, and answers none of them",
    effect(function* () {
      let interrupted = 0
      const wait = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted += 1)))
      const { peer, running } = yield* connect({ wait, slow: wait }, 1)
      send(peer, { id: 1, method: "wait" }, { id: 2, method: "slow" }, { id: 3, method: "slow" })
      yield* settle
      yield* peer.close
      expect(yield* Fiber.join(running)).toBe("the peer closed the connection")
      expect(interrupted).toBe(2)
    }),
  )

  it(
    "takes nothing more from a peer that does not read its answers, and loses none",
    effect(function* () {
      let bytes = 0
      const large = Effect.sync(() => {
        bytes += 1024 * 1024
        return mebibyte
      })
      const { peer } = yield* connect({ slow: large, wait: Effect.never })
      // Answers fill the inbox of the peer, then the transport up to its high-water mark, then the debt of the peer:
      // 8, 1 and 8 MiB, each of which one answer may exceed.
      send(peer, ...Array.from({ length: 40 }, (_, id) => ({ id, method: "slow" })))
      yield* settle
      expect(bytes).toBeLessThanOrEqual(20 * 1024 * 1024)
      for (let id = 0; id < 40; id++) {
        expect((yield* peer.incoming.take).slice(0, 12)).toBe(`{"id":${id},"result"`.slice(0, 12))
      }
      expect(bytes).toBe(40 * 1024 * 1024)
    }),
  )

  it(
    "holds at most what a peer may owe, also of requests that it has sent before",
    effect(function* () {
      let answers = 0
      const gate = yield* Deferred.make<void>()
      const large = Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => {
          answers += 1
          return mebibyte
        }),
      )
      const { peer } = yield* connect({ slow: large, quick: ok }, 1)
      for (let id = 0; id < 300; id++) send(peer, { id, method: "quick" })
      send(peer, ...Array.from({ length: 40 }, (_, id) => ({ id, method: "slow" })))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(answers).toBeLessThan(15)
      for (let id = 0; id < 340; id++) yield* peer.incoming.take
      expect(answers).toBe(40)
    }),
  )
})
