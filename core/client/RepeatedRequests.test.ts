/** Tests which requests a client repeats over a lost connection: CurrentConnection.ts and ProcessStarter.ts. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import { effect, elapse, settle } from "../testing/Effects.ts"
import { connected, running, soon } from "../testing/NetworkClient.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as ExecClient from "./ExecClient.ts"

describe("requests over a lost connection", () => {
  it(
    "sends again what can be sent twice, fails what cannot, and lets wait what comes during the outage",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"], processId: "p", pipeStdin: true })
      const child = yield* fake.next
      // Everything arrives and no answer comes back.
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const read = yield* Effect.fork(process.read({ afterSeq: 0, waitMs: 60_000 }))
      const write = yield* Effect.fork(process.write(utf8.encode("once ")))
      const status = yield* Effect.fork(Effect.asVoid(client.call("environment/status", null)))
      const interrupt = yield* Effect.fork(Effect.flip(process.interrupt))
      yield* settle
      expect(child.writes.length).toBe(1)
      expect(child.signals).toEqual(["SIGINT"])
      yield* network.cut
      network.toClient = (text) => text
      yield* settle
      expect(yield* Fiber.join(interrupt)).toMatchObject({ reason: "Disconnected" })
      const later = yield* Effect.fork(process.interrupt)
      const second = yield* Effect.fork(process.write(utf8.encode("twice")))
      yield* settle
      for (const fiber of [read, write, status, later, second]) expect(yield* running(fiber)).toBe(true)
      yield* elapse(soon)
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
        close: Effect.suspend(() => Effect.zipRight(Effect.sleep(millis), transport.close)),
      }))
      const client = yield* ExecClient.make(slow, { reconnect: {} })
      yield* network.cut
      yield* settle
      const starting = yield* Effect.fork(client.start({ argv: ["x"], processId: "p" }))
      yield* elapse(millis + soon)
      millis = 0
      expect((yield* Fiber.join(starting)).id).toBe("p")
      expect(server.fake.children.length).toBe(1)
    }),
  )

  it(
    "fails a start whose answer was lost, and terminates what it may have started",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const starting = yield* Effect.fork(Effect.flip(client.start({ argv: ["x"], processId: "p" })))
      const child = yield* fake.next
      yield* network.cut
      network.toClient = (text) => text
      expect(yield* Fiber.join(starting)).toMatchObject({ reason: "Disconnected" })
      yield* elapse(soon)
      expect(child.kills).toBe(1)
      yield* child.exited
    }),
  )

  it(
    "b84: terminates an abandoned start also where the connection is lost before its answer",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const starting = yield* Effect.fork(client.start({ argv: ["x"], processId: "p" }))
      const child = yield* fake.next
      yield* Fiber.interrupt(starting)
      yield* network.cut
      network.toClient = (text) => text
      yield* elapse(soon)
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "starts during the outage what is asked for then, and leaves it alone at the resumption",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      yield* network.cut
      yield* settle
      const starting = yield* Effect.fork(client.start({ argv: ["x"] }))
      yield* elapse(soon)
      const process = yield* Fiber.join(starting)
      ;(yield* fake.next).finish(5)
      expect(yield* process.exitCode).toBe(5)
    }),
  )
})
