/** Tests ReconnectPolicy.ts through a client over a network that fails. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as References from "effect/References"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as ExecClient from "./ExecClient.ts"
import { connected, eventsOf, running, soon, textOf } from "../testing/NetworkClient.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"

describe("Outage", () => {
  it(
    "pauses longer and longer, never quite the same, and gives up after 25 seconds",
    effect(function* () {
      const all: Array<ReadonlyArray<number>> = []
      for (const seed of ["a", "b"]) {
        const { client, network, statuses } = yield* connected().pipe(Random.withSeed(seed))
        const process = yield* client.start({ argv: ["x"] })
        const reading = yield* Effect.forkChild(eventsOf(process))
        const waiting = yield* Effect.forkChild(process.read({ waitMs: 60_000 }))
        yield* settle
        network.reachable = false
        network.attempts.length = 0
        const began = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        yield* network.cut
        const later = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
        yield* pass(24_999)
        expect([yield* running(reading), yield* running(waiting), yield* running(later)]).toEqual([
          true,
          true,
          true,
        ])
        yield* pass(1)
        const why =
          "exec-server transport disconnected: the peer closed the connection; " +
          "failed to resume exec-server session: nobody is there"
        expect(yield* Fiber.join(reading)).toMatchObject([
          { kind: "failed", reason: "Disconnected", message: why },
        ])
        const madeUp = { chunks: [], exited: true, exitCode: null, closed: true, failure: why }
        expect(yield* Fiber.join(waiting)).toMatchObject(madeUp)
        expect(yield* process.read()).toMatchObject(madeUp)
        expect(yield* Fiber.join(later)).toMatchObject({ reason: "Disconnected", message: why })
        expect(yield* client.disconnected).toMatchObject({ reason: "Disconnected", message: why })
        expect((yield* Effect.flip(client.start({ argv: ["x"] }))).message).toBe(why)
        expect(statuses).toMatchObject([
          { kind: "reconnecting", message: "the peer closed the connection" },
          { kind: "failed" },
        ])
        const pauses = network.attempts.map((at, n) => at - (network.attempts[n - 1] ?? began))
        for (const [n, pause] of pauses.entries()) {
          const expected = Math.min(100 * 2 ** n, 2000)
          expect(pause).toBeGreaterThanOrEqual(Math.floor(expected * 0.8))
          expect(pause).toBeLessThanOrEqual(Math.ceil(expected * 1.2))
        }
        expect(pauses.length).toBeGreaterThan(12)
        all.push(pauses)
      }
      expect(all[0]).not.toEqual(all[1])
    }),
  )

  it(
    "gives up attempts that are not answered, and the last one at the end of the window",
    effect(function* () {
      const { client, network } = yield* connected({ initializeTimeout: "10 seconds" })
      network.alive = false
      yield* network.cut
      yield* pass(24_999)
      expect(network.attempts.length).toBe(4)
      const ending = yield* Effect.forkChild(client.disconnected)
      yield* settle
      expect(yield* running(ending)).toBe(true)
      yield* pass(1)
      expect((yield* Fiber.join(ending)).message).toMatch(
        /failed to resume exec-server session: (no answer|timed out)/,
      )
    }),
  )

  it(
    "tries again while a server that hands no session over still holds the lost connection",
    effect(function* () {
      const { client, fake, network } = yield* connected({ hands: false })
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const { noticed } = yield* network.strand
      child.output("stdout", "x")
      yield* pass(3000)
      expect(network.attempts.length).toBeGreaterThan(3)
      yield* noticed
      yield* pass(3000)
      child.finish()
      expect(yield* textOf(process)).toBe("x")
    }),
  )

  it(
    "takes the end of the session for final",
    effect(function* () {
      const { client, network } = yield* connected({}, {}, { detachedMillis: 20 })
      yield* client.start({ argv: ["x"] })
      yield* network.cut
      yield* pass(soon)
      expect(network.attempts.length).toBe(2)
      expect((yield* client.disconnected).message).toBe(
        "exec-server transport disconnected: the peer closed the connection; " +
          `failed to resume exec-server session: unknown session id ${client.sessionId}`,
      )
    }),
  )

  it(
    "gives up a server that breaks the protocol the same way each time",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      yield* client.start({ argv: ["x"] })
      network.toClient = (text) => text.replace(`"stream":"stdout"`, `"stream":"nonsense"`)
      ;(yield* fake.next).output("stdout", "x")
      const ending = yield* Effect.forkChild(client.disconnected)
      yield* pass(26_000)
      expect((yield* Fiber.join(ending)).message).toContain("malformed process/output notification")
      expect(network.attempts.length).toBeLessThan(25)
    }),
  )

  it(
    "goes on for as long as each connection brings something, however short it is",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const numbers = Array.from({ length: 100 }, (_, n) => `${n} `)
      for (const text of numbers) {
        child.output("stdout", text)
        yield* network.cut
        yield* pass(400)
      }
      child.finish()
      expect(yield* textOf(process)).toBe(numbers.join(""))
    }),
  )

  it(
    "takes a connection that lasts for the end of the outage",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const numbers = Array.from({ length: 30 }, (_, n) => `${n} `)
      for (const text of numbers) {
        child.output("stdout", text)
        yield* network.cut
        yield* pass(3000)
      }
      child.finish()
      expect(yield* textOf(process)).toBe(numbers.join(""))
    }),
  )

  it(
    "tries the first connection once, and says why it failed",
    effect(function* () {
      const network = new TestNetwork(yield* TestServer.make(), yield* Effect.scope)
      network.reachable = false
      const error = yield* Effect.flip(ExecClient.make(network.open, { reconnect: {} }))
      expect(error).toMatchObject({ reason: "Connect", message: "nobody is there" })
      expect(network.attempts.length).toBe(1)
    }),
  )

  it(
    "goes on when the listener to its status throws",
    effect(function* () {
      const { client, fake, network } = yield* connected({
        onStatus: () => {
          throw new Error("a listener's own fault")
        },
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      const process = yield* client.start({ argv: ["x"] })
      yield* network.cut
      ;(yield* fake.next).finish(2)
      yield* pass(soon)
      expect(yield* process.exitCode).toBe(2)
    }),
  )
})
