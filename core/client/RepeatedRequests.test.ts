/** Tests which requests a client repeats over a lost connection: CurrentConnection.ts and ProcessStarter.ts. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, running, soon, textOf } from "../testing/NetworkClient.ts"
import type { Fake } from "../spawn/Fake.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as ExecClient from "./ExecClient.ts"

/** A start that is carried out, and whose answer does not come; the next connection carries everything. */
const unanswered = (client: ExecClient.ExecClient, fake: Fake, network: TestNetwork) =>
  Effect.gen(function* () {
    network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
    const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
    const child = yield* fake.next
    yield* settle
    network.toClient = (text) => text
    return { starting, child }
  })

describe("requests over a lost connection", () => {
  it(
    "sends again what can be sent twice, fails what cannot, and lets wait what comes during the outage",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"], processId: "p", pipeStdin: true })
      const child = yield* fake.next
      // Everything arrives and no answer comes back.
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const read = yield* Effect.forkChild(process.read({ afterSeq: 0, waitMs: 60_000 }))
      const write = yield* Effect.forkChild(process.write(utf8.encode("once ")))
      const status = yield* Effect.forkChild(Effect.asVoid(client.call("environment/status", null)))
      const interrupt = yield* Effect.forkChild(Effect.flip(process.interrupt))
      yield* settle
      expect(child.writes.length).toBe(1)
      expect(child.signals).toEqual(["SIGINT"])
      yield* network.cut
      network.toClient = (text) => text
      yield* settle
      expect(yield* Fiber.join(interrupt)).toMatchObject({ reason: "Disconnected" })
      const later = yield* Effect.forkChild(process.interrupt)
      const second = yield* Effect.forkChild(process.write(utf8.encode("twice")))
      yield* settle
      for (const fiber of [read, write, status, later, second]) expect(yield* running(fiber)).toBe(true)
      yield* pass(soon)
      for (const fiber of [write, status, later, second]) yield* Fiber.join(fiber)
      expect(child.written).toBe("once twice")
      expect(child.signals).toEqual(["SIGINT", "SIGINT"])
      expect(yield* running(read)).toBe(true)
      child.output("stdout", "x")
      expect((yield* Fiber.join(read)).chunks.length).toBe(1)
    }),
  )

  it(
    "lets wait what comes while a lost connection is still being closed",
    effect(function* () {
      const server = yield* TestServer.make()
      const network = new TestNetwork(server, yield* Effect.scope)
      let millis = 500
      const slow = Effect.map(network.open, (transport) => ({
        ...transport,
        close: Effect.suspend(() => Effect.andThen(Effect.sleep(millis), transport.close)),
      }))
      const client = yield* ExecClient.make(slow, { reconnect: {} })
      yield* network.cut
      yield* settle
      const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
      yield* pass(millis + soon)
      millis = 0
      expect((yield* Fiber.join(starting)).id).toBe("p")
      expect(server.fake.children.length).toBe(1)
    }),
  )

  it(
    "takes up the process of a start whose answer was lost, with all that it has printed",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const { starting, child } = yield* unanswered(client, fake, network)
      child.output("stdout", "before ")
      yield* network.cut
      child.output("stdout", "meanwhile ")
      yield* pass(soon)
      const process = yield* Fiber.join(starting)
      yield* network.cut
      child.output("stdout", "after")
      child.finish(3)
      yield* pass(soon)
      expect(yield* textOf(process)).toBe("before meanwhile after")
      expect(yield* process.exitCode).toBe(3)
      expect([fake.children.length, child.kills]).toEqual([1, 0])
    }),
  )

  it(
    "terminates the process of a start whose answer was lost if its output is lost, too",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const { starting, child } = yield* unanswered(client, fake, network)
      yield* network.cut
      for (let chunk = 0; chunk < 40; chunk++) child.output("stdout", "x".repeat(60_000))
      const failed = yield* Effect.forkChild(Effect.flip(Fiber.join(starting)))
      yield* pass(soon)
      expect(yield* Fiber.join(failed)).toMatchObject({ reason: "EventsLost" })
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "sends a start again that was lost on its way, once, and not when a server may have forgotten its process",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const sent = () => network.sent.filter((text) => text.includes("process/start")).length
      const begin = function* (lostOnes: number) {
        network.toServer = (text) =>
          text.includes("process/start") && (lostOnes -= 1) >= 0 ? undefined : text
        const starting = yield* Effect.forkChild(Effect.result(client.start({ argv: ["x"] })))
        yield* settle
        yield* network.cut
        return starting
      }
      const again = yield* begin(1)
      yield* pass(soon)
      expect((yield* Fiber.join(again))._tag).toBe("Success")
      expect([sent(), fake.children.length]).toEqual([2, 1])

      yield* pass(2000)
      const twice = yield* begin(2)
      yield* pass(soon)
      yield* network.cut
      yield* pass(2000)
      expect(yield* Fiber.join(twice)).toMatchObject({ failure: { reason: "Disconnected" } })
      expect(sent()).toBe(4)

      network.reachable = false
      const late = yield* begin(1)
      yield* pass(21_000)
      network.reachable = true
      yield* pass(3000)
      expect(yield* Fiber.join(late)).toMatchObject({ failure: { reason: "Disconnected" } })
      expect([sent(), fake.children.length]).toEqual([5, 1])
    }),
  )

  it(
    "b84: terminates an abandoned start also where the connection is lost before its answer",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
      const child = yield* fake.next
      yield* Fiber.interrupt(starting)
      yield* network.cut
      network.toClient = (text) => text
      yield* pass(soon)
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "starts during the outage what is asked for then, and leaves it alone at the resumption",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      yield* network.cut
      yield* settle
      const starting = yield* Effect.forkChild(client.start({ argv: ["x"] }))
      yield* pass(soon)
      const process = yield* Fiber.join(starting)
      ;(yield* fake.next).finish(5)
      expect(yield* process.exitCode).toBe(5)
    }),
  )
})
