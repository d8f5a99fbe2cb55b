/** Tests `lazy` of ExecClient.ts: a client that connects at its first use. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as ExecClient from "./ExecClient.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"

describe("ExecClient.lazy", () => {
  it(
    "b86: ten first calls at once open one connection, and one that gives up disturbs no other",
    effect(function* () {
      const network = new TestNetwork(yield* TestServer.make(), yield* Effect.scope)
      const get = yield* ExecClient.lazy(network.open)
      expect(network.attempts.length).toBe(0)
      const calls = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.forkChild(
          Effect.flatMap(get, (client) => Effect.as(client.call("environment/status", null), client)),
        ),
      )
      for (const first of calls.slice(0, 1)) yield* Fiber.interrupt(first)
      const clients = yield* Effect.forEach(calls.slice(1), (fiber) => Fiber.join(fiber))
      expect(new Set(clients).size).toBe(1)
      expect(network.attempts.length).toBe(1)
    }),
  )

  it(
    "tries again after a failure and after the end of its connection, once for all who wait",
    effect(function* () {
      const network = new TestNetwork(yield* TestServer.make(), yield* Effect.scope)
      network.reachable = false
      const get = yield* ExecClient.lazy(Effect.andThen(Effect.sleep(10), network.open))
      const both = yield* Effect.forkChild(
        Effect.all([Effect.flip(get), Effect.flip(get)], { concurrency: 2 }),
      )
      yield* pass(10)
      const failing = yield* Fiber.join(both)
      expect(failing.map(({ reason }) => reason)).toEqual(["Connect", "Connect"])
      expect(network.attempts.length).toBe(1)
      network.reachable = true
      const connecting = yield* Effect.forkChild(get)
      yield* pass(10)
      const first = yield* Fiber.join(connecting)
      expect(yield* get).toBe(first)
      yield* network.cut
      yield* first.disconnected
      yield* settle
      const again = yield* Effect.forkChild(get)
      yield* pass(10)
      expect(yield* Fiber.join(again)).not.toBe(first)
      expect(network.attempts.length).toBe(3)
    }),
  )
})
