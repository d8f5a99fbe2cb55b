import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { effect, settle } from "../testing/Effects.ts"
import * as Memory from "../transport/Memory.ts"
import * as Connection from "./Connection.ts"
import { connect, ok, received, send } from "./testing/Connect.ts"

/** The answer to a message that is malformed in this way. */
const malformed = (fault: string) =>
  `{"error":{"code":-32600,"message":"failed to parse JSON-RPC message from test: ${fault}"},"id":-1}`

describe("Connection", () => {
  it(
    "refuses what waits when it leaves, then says its last words and ends; it begins and says nothing more",
    effect(function* () {
      const error = new ErrorCode.RpcError({ code: -5, message: "gone" })
      let leave = () => {}
      const { peer, connection, running, begun } = yield* connect(
        {
          wait: Effect.never,
          slow: Effect.never,
          leave: Effect.suspend(() => Effect.andThen(Effect.sync(leave), ok)),
          late: ok,
        },
        1,
      )
      leave = () => connection.leave(error, '"bye"')
      const methods = ["wait", "slow", "slow", "leave", "late"]
      send(peer, ...methods.map((method, id) => ({ id, method })))
      yield* settle
      expect((yield* peer.incoming.takeAll)[0]).toEqual([
        ...[0, 1, 2].map((id) => `{"error":{"code":-5,"message":"gone"},"id":${id}}`),
        '"bye"',
      ])
      expect(begun).toEqual(["wait", "slow", "leave"])
      expect(yield* Fiber.join(running)).toBe("gone")
      yield* peer.incoming.await
    }),
  )

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
    "answers a malformed message with id -1 and goes on",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      peer.write("{bad")
      peer.write("[]")
      send(peer, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual([
        malformed("key must be a string at line 1 column 2"),
        malformed("expected a JSON-RPC object"),
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
      expect((yield* peer.incoming.takeAll)[0]).toEqual([])
      yield* peer.incoming.await
    })(),
  )

  it(
    "sends what was answered before a violation",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      send(peer, { id: 1, method: "x" }, { method: "bogus" })
      yield* settle
      expect((yield* peer.incoming.takeAll)[0]).toEqual(['{"id":1,"result":"ok"}'])
    }),
  )

  it(
    "takes a notification that the receiver knows",
    effect(function* () {
      const { peer } = yield* connect({ x: ok })
      send(peer, { method: "fine" }, { method: "fine", params: [1] }, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}'])
    }),
  )

  it(
    "closes the transport and lets callers go when it is interrupted",
    effect(function* () {
      const { peer, running, connection } = yield* connect({ wait: Effect.never })
      const call = yield* Effect.forkChild(Effect.flip(connection.call("m", {})))
      yield* settle
      yield* Fiber.interrupt(running)
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Disconnected" })
      expect(yield* Effect.flip(connection.call("m", {}))).toMatchObject({ _tag: "Disconnected" })
      expect(yield* received(peer)).toEqual(['{"id":1,"method":"m","params":{}}'])
      yield* peer.incoming.await
    }),
  )

  it(
    "closes the transport when the receiver itself breaks",
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
      const running = yield* Effect.forkChild(connection.run)
      send(peer, { method: "x" })
      yield* Fiber.await(running)
      yield* peer.incoming.await
    }),
  )

  it(
    "correlates answers with calls, in whatever order they come",
    effect(function* () {
      const { peer, connection } = yield* connect({})
      const calls = yield* Effect.forkChild(
        Effect.all(
          ["a", "b", "c"].map((method) => Effect.result(connection.call(method, {}))),
          { concurrency: "unbounded" },
        ),
      )
      expect((yield* received(peer)).length).toBe(3)
      send(peer, { id: 3, result: "c" }, { id: 1, result: "a" }, { id: 2, error: { code: 7, message: "b" } })
      expect(
        (yield* Fiber.join(calls)).map((either) =>
          either._tag === "Success" ? either.success : either.failure,
        ),
      ).toMatchObject(["a", { code: 7, message: "b" }, "c"])
    }),
  )

  it(
    "accepts the answer to an abandoned call, once",
    effect(function* () {
      const { peer, connection, running } = yield* connect({ x: ok })
      const call = yield* Effect.forkChild(connection.call("m", {}))
      yield* settle
      yield* Fiber.interrupt(call)
      expect((yield* received(peer)).length).toBe(1)
      send(peer, { id: 1, result: {} }, { id: 1, method: "x" })
      expect(yield* received(peer)).toEqual(['{"id":1,"result":"ok"}'])
      send(peer, { id: 1, result: {} })
      expect(yield* Fiber.join(running)).toMatch(/^protocol violation/)
    }),
  )
})
