import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, pass } from "../testing/Effects.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as Addresses from "./Addresses.ts"
import * as ExecClient from "./ExecClient.ts"
import { eventsOf } from "../testing/NetworkClient.ts"

/** Two doors of one server, and a client that has the first one. */
const twoDoors = (options: ExecClient.Options = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make()
    const scope = yield* Effect.scope
    const one = new TestNetwork(server, scope)
    const other = new TestNetwork(server, scope)
    const open = Addresses.inTurn([one.open, other.open])
    const client = yield* ExecClient.make(open, { reconnect: {}, ...options })
    return { client, one, other, fake: server.fake }
  })

describe("Addresses", () => {
  it(
    "tries the next address first after a loss, and comes back to the first one behind the last",
    effect(function* () {
      const { client, one, other, fake } = yield* twoDoors()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      yield* one.cut
      yield* pass(1000)
      expect([one.attempts.length, other.attempts.length]).toEqual([1, 1])
      yield* pass(1000)
      yield* other.cut
      yield* pass(1000)
      expect([one.attempts.length, other.attempts.length]).toEqual([2, 1])
      child.output("stdout", "x")
      child.finish()
      expect((yield* eventsOf(process)).map(({ kind }) => kind)).toEqual(["output", "exited", "closed"])
    }),
  )

  it(
    "tries all of them in one attempt, the first connection included",
    effect(function* () {
      const server = yield* TestServer.make()
      const scope = yield* Effect.scope
      const dead = new TestNetwork(server, scope)
      dead.reachable = false
      const alive = new TestNetwork(server, scope)
      yield* ExecClient.make(Addresses.inTurn([dead.open, alive.open]))
      expect([dead.attempts.length, alive.attempts.length]).toEqual([1, 1])
      alive.reachable = false
      const refused = yield* Effect.flip(ExecClient.make(Addresses.inTurn([dead.open, alive.open])))
      expect(refused).toMatchObject({ reason: "Connect", message: "nobody is there" })
    }),
  )

  it(
    "tries the next address if the first connection is lost before it has its session",
    effect(function* () {
      const server = yield* TestServer.make()
      const scope = yield* Effect.scope
      const [closing, alive] = [new TestNetwork(server, scope), new TestNetwork(server, scope)]
      const open = Effect.tap(closing.open, ({ close }) => close)
      yield* ExecClient.make(Addresses.inTurn([open, alive.open]), { reconnect: {} })
      expect([closing.attempts.length, alive.attempts.length]).toEqual([1, 1])
      const refused = yield* Effect.flip(ExecClient.make(open, { reconnect: {} }))
      expect(refused).toMatchObject({ reason: "Disconnected" })
      expect(closing.attempts.length).toBe(3)
    }),
  )

  it(
    "tells the reason of the last attempt, and not of those that the deadline has cut short",
    effect(function* () {
      const { client, one, other } = yield* twoDoors()
      one.reachable = other.reachable = false
      yield* one.cut
      // The last attempts get no answer, because the outage ends before they could have one.
      yield* pass(24_000)
      one.reachable = other.reachable = true
      one.alive = other.alive = false
      yield* pass(2000)
      expect((yield* client.disconnected).message).toBe(
        "exec-server transport disconnected: the peer closed the connection; " +
          "failed to resume exec-server session: nobody is there",
      )
    }),
  )
})
