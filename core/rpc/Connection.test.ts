import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { describe, expect, it } from "vitest"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as Memory from "../transport/Memory.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Connection from "./Connection.ts"

type Answer = Effect.Effect<string, ErrorCode.RpcError>

/** A side whose requests are answered by their method, on one end of a link. */
const connect = (
  handlers: Record<string, Answer | ((finish: (hook: () => void) => void) => Answer)>,
  concurrentRequests = 1024,
) =>
  Effect.gen(function* () {
    const [peer, transport] = yield* Memory.makePair({ right: "JSON-RPC message from test" })
    const begun: Array<string> = []
    const connection = yield* Connection.make(
      transport,
      {
        request: ({ method }, { afterReply }) => {
          begun.push(method)
          const handler = handlers[method]
          if (handler === undefined) return Effect.fail(new ErrorCode.RpcError({ code: -1, message: method }))
          return typeof handler === "function" ? handler(afterReply) : handler
        },
        slotted: (method) => method.startsWith("slow"),
        notification: ({ method }) => method === "fine",
      },
      { concurrentRequests },
    )
    const running = yield* Effect.fork(connection.run)
    return { peer, connection, running, begun }
  })

const send = (peer: Transport, ...messages: ReadonlyArray<object>) => {
  for (const message of messages) peer.write(JSON.stringify(message))
}

/** Everything that has arrived, without waiting. */
const received = (peer: Transport) =>
  Effect.gen(function* () {
    yield* settle
    const size = yield* peer.incoming.size
    if (size._tag === "None" || size.value === 0) return []
    return Chunk.toReadonlyArray((yield* peer.incoming.takeAll)[0])
  })

/** As `connect`, without the words about defects that belong to the test. */
const quietly = (...args: Parameters<typeof connect>) =>
  Logger.withMinimumLogLevel(connect(...args), LogLevel.None)

const ok = Effect.succeed('"ok"')

describe("Connection", () => {
  it(
    "echoes every id exactly",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      const ids = [
        "1",
        "-5",
        "0",
        '""',
        '"str-id"',
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
      ]
      for (const id of ids) peer.write(`{"id":${id},"method":"x"}`)
      expect(yield* received(peer)).toEqual(ids.map((id) => `{"id":${id},"result":"ok"}`))
    }),
  )

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
    "answers a malformed message with id -1 and goes on",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      peer.write("{bad")
      peer.write("[]")
      send(peer, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual([
        '{"error":{"code":-32600,"message":"failed to parse JSON-RPC message from test: key must be a string at line 1 column 2"},"id":-1}',
        '{"error":{"code":-32600,"message":"failed to parse JSON-RPC message from test: expected a JSON-RPC object"},"id":-1}',
        '{"id":1,"result":"ok"}',
      ])
    }),
  )

  it.each([
    { method: "bogus" },
    { method: "x", params: {} },
    { id: 5, result: {} },
    { id: 5, error: { code: 1, message: "x" } },
  ])("ends without a word after %j", (message) =>
    effect(function* () {
      const { peer, running } = yield* connect({ x: ok, wait: Effect.never })
      send(peer, { id: 1, method: "wait" }, message, { id: 2, method: "x" })
      expect(yield* Fiber.join(running)).toMatch(/^protocol violation/)
      expect(Chunk.toReadonlyArray((yield* peer.incoming.takeAll)[0])).toEqual([])
      yield* peer.incoming.await
    })(),
  )

  it(
    "sends what was answered before a violation",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      send(peer, { id: 1, method: "x" }, { method: "bogus" })
      yield* settle
      expect(Chunk.toReadonlyArray((yield* peer.incoming.takeAll)[0])).toEqual(['{"id":1,"result":"ok"}'])
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
    "takes a notification that the side knows",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      send(peer, { method: "fine" }, { method: "fine", params: [1] }, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}'])
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
      expect(yield* received(peer)).toEqual([1, 2, 3].map((id) => `{"id":${id},"result":"ok"}`))
    }),
  )

  it(
    "answers 5,000 pipelined requests over one slot in their order",
    effect(function* () {
      const { peer } = yield* connect({ slow: Effect.zipRight(Effect.yieldNow(), ok), slowSync: ok }, 1)
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
        die: Effect.dieMessage("oh no"),
        later: Effect.zipRight(Effect.yieldNow(), Effect.dieMessage("oh no")),
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
    "runs what follows an answer right after it",
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
    "closes the transport and lets callers go when it is interrupted",
    effect(function* () {
      const { peer, running, connection } = yield* connect({ wait: Effect.never })
      const call = yield* Effect.fork(Effect.flip(connection.call("m", {})))
      yield* settle
      yield* Fiber.interrupt(running)
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Disconnected" })
      expect(yield* Effect.flip(connection.call("m", {}))).toMatchObject({ _tag: "Disconnected" })
      expect(yield* received(peer)).toEqual(['{"id":1,"method":"m","params":{}}'])
      yield* peer.incoming.await
    }),
  )

  it(
    "closes the transport when the side itself breaks",
    effect(function* () {
      const [peer, transport] = yield* Memory.makePair()
      const connection = yield* Connection.make(
        transport,
        {
          request: () => ok,
          slotted: () => false,
          notification: () => {
            throw new Error("broken")
          },
        },
        { concurrentRequests: 1 },
      )
      const running = yield* Effect.fork(connection.run)
      send(peer, { method: "x" })
      yield* Fiber.await(running)
      yield* peer.incoming.await
    }),
  )

  it(
    "correlates answers with calls, in whatever order they come",
    effect(function* () {
      const { peer, connection } = yield* connect({})
      const calls = yield* Effect.fork(
        Effect.all(
          ["a", "b", "c"].map((method) => Effect.either(connection.call(method, {}))),
          { concurrency: "unbounded" },
        ),
      )
      expect((yield* received(peer)).length).toBe(3)
      send(peer, { id: 3, result: "c" }, { id: 1, result: "a" }, { id: 2, error: { code: 7, message: "b" } })
      expect(
        (yield* Fiber.join(calls)).map((either) => (either._tag === "Right" ? either.right : either.left)),
      ).toMatchObject(["a", { code: 7, message: "b" }, "c"])
    }),
  )

  it(
    "takes the answer to an abandoned call for no violation, once",
    effect(function* () {
      const { peer, connection, running } = yield* connect({ x: ok })
      const call = yield* Effect.fork(connection.call("m", {}))
      yield* settle
      yield* Fiber.interrupt(call)
      expect((yield* received(peer)).length).toBe(1)
      send(peer, { id: 1, result: {} }, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}'])
      send(peer, { id: 1, result: {} })
      expect(yield* Fiber.join(running)).toMatch(/^protocol violation/)
    }),
  )

  it(
    "takes nothing more from a peer that does not read its answers, and loses none",
    effect(function* () {
      let bytes = 0
      const large = Effect.sync(() => {
        bytes += 1024 * 1024
        return JSON.stringify("x".repeat(1024 * 1024))
      })
      const { peer } = yield* connect({ slow: large, wait: Effect.never })
      // Answers fill the mailbox of the peer, then the high-water mark, then what it may owe.
      send(peer, ...Array.from({ length: 600 }, (_, id) => ({ id, method: "slow" })))
      yield* settle
      expect(bytes).toBeLessThan(300 * 1024 * 1024)
      for (let id = 0; id < 600; id++) {
        expect((yield* peer.incoming.take).slice(0, 12)).toBe(`{"id":${id},"result"`.slice(0, 12))
      }
      expect(bytes).toBe(600 * 1024 * 1024)
    }),
  )

  it(
    "holds at most what a peer may owe, also of requests that it has sent before",
    effect(function* () {
      let answers = 0
      const gate = yield* Deferred.make<void>()
      const large = Effect.zipRight(
        Deferred.await(gate),
        Effect.sync(() => {
          answers += 1
          return JSON.stringify("x".repeat(1024 * 1024))
        }),
      )
      const { peer } = yield* connect({ slow: large, quick: ok }, 1)
      for (let id = 0; id < 300; id++) send(peer, { id, method: "quick" })
      send(peer, ...Array.from({ length: 100 }, (_, id) => ({ id, method: "slow" })))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(answers).toBeLessThan(15)
      for (let id = 0; id < 400; id++) yield* peer.incoming.take
      expect(answers).toBe(100)
    }),
  )
})
