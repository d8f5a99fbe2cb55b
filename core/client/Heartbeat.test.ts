import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, running, soon } from "../testing/NetworkClient.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"
import * as ExecClient from "./ExecClient.ts"
import * as Heartbeat from "./Heartbeat.ts"

const asked = (sent: ReadonlyArray<string>) =>
  sent.filter((text) => text.includes("environment/status")).length

/** A watch over a line that a test describes; `ask` answers at once if `answers` is true. */
const watching = (line: {
  received: number
  held: boolean
  busy: boolean
  slow: boolean
  answers: boolean
}) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const fiber = yield* Effect.forkScoped(
      Heartbeat.watch(Duration.seconds(15), {
        received: () => line.received,
        held: () => line.held,
        busy: () => line.busy,
        slow: () => line.slow,
        ask: () => {
          said.push("ask")
          if (line.answers) line.received += 1
        },
        show: () => said.push("show"),
      }),
    )
    yield* settle
    return { said, gone: Effect.map(running(fiber), (runs) => !runs) }
  })

const idle = { received: 0, held: false, busy: false, slow: false, answers: false }

describe("Heartbeat", () => {
  it(
    "asks after 15 seconds of silence, and takes the server for gone after 15 more",
    effect(function* () {
      const { said, gone } = yield* watching({ ...idle })
      yield* pass(14_999)
      expect(said).toEqual([])
      yield* pass(15_000)
      expect([said, yield* gone]).toEqual([["ask"], false])
      yield* pass(1)
      expect(yield* gone).toBe(true)
    }),
  )

  it(
    "goes on as long as there is an answer, or anything else comes",
    effect(function* () {
      const line = { ...idle, answers: true }
      const { said, gone } = yield* watching(line)
      yield* pass(3_600_000)
      expect(said.length).toBeGreaterThan(100)
      line.answers = false
      for (let n = 0; n < 20; n++) {
        yield* pass(14_000)
        line.received += 1
      }
      expect(yield* gone).toBe(false)
    }),
  )

  it(
    "judges nothing while it does not read, but shows that it is there",
    effect(function* () {
      const line = { ...idle, held: true }
      const { said, gone } = yield* watching(line)
      yield* pass(60_000)
      expect(said).toEqual(["show", "show", "show", "show"])
      line.held = false
      yield* pass(20_000)
      line.held = true
      yield* pass(60_000)
      expect(yield* gone).toBe(false)
    }),
  )

  it(
    "gives a server four times as long while a long answer may be on its way",
    effect(function* () {
      const { said, gone } = yield* watching({ ...idle, slow: true })
      yield* pass(74_999)
      expect([said, yield* gone]).toEqual([["ask"], false])
      yield* pass(1)
      expect(yield* gone).toBe(true)
    }),
  )

  it(
    "judges nothing while other requests may delay the answer",
    effect(function* () {
      const line = { ...idle, busy: true }
      const { said, gone } = yield* watching(line)
      yield* pass(3_600_000)
      expect([said, yield* gone]).toEqual([[], false])
    }),
  )

  it(
    "replaces a connection that carries nothing any more, and loses no output over it",
    effect(function* () {
      const { client, fake, network, statuses } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      network.alive = false
      child.output("stdout", "x")
      yield* pass(45_000)
      expect(statuses).toEqual([{ kind: "reconnecting", message: "the server has been silent for 30s" }])
      network.alive = true
      yield* pass(15_000)
      child.finish(4)
      expect(yield* process.exitCode).toBe(4)
      expect(statuses.at(-1)).toEqual({ kind: "connected" })
    }),
  )

  it(
    "asks nothing without a heartbeat, and at another rate where that is told",
    effect(function* () {
      const never = yield* connected({ heartbeat: false })
      const often = yield* connected({ heartbeat: "1 second" })
      yield* pass(60_000)
      expect(asked(never.network.sent)).toBe(0)
      expect(asked(often.network.sent)).toBeGreaterThan(20)
      expect(often.statuses).toEqual([])
    }),
  )

  it(
    "does not give up a server that delays the answer behind a long poll, as the peer does",
    effect(function* () {
      const peer = yield* ScriptedPeer.make
      const making = yield* Effect.forkChild(ExecClient.make(peer.transport))
      yield* peer.handshake
      const client = yield* Fiber.join(making)
      const waiting = yield* Effect.forkChild(
        client.call("process/read", { processId: "p", waitMs: 600_000 }),
      )
      yield* peer.request("process/read")
      yield* pass(600_000)
      expect(yield* running(waiting)).toBe(true)
      const lost = yield* Effect.forkChild(client.disconnected)
      yield* Fiber.interrupt(waiting)
      yield* pass(soon + 60_000)
      expect((yield* Fiber.join(lost)).message).toContain("the server has been silent for 30s")
    }),
  )

  it(
    "replaces a connection that is silent while a call waits, though its bytes are not counted",
    effect(function* () {
      const { client, network, statuses } = yield* connected({ heartbeat: "1 second" })
      const process = yield* client.start({ argv: ["a"] })
      const waiting = yield* Effect.forkChild(process.wait({ until: [{ exit: true }], timeoutMs: 3_600_000 }))
      yield* pass(1)
      network.toClient = () => undefined
      yield* pass(4_900)
      expect(statuses).toEqual([])
      network.toClient = (text) => text
      yield* pass(1_200 + soon)
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "connected"])
      yield* Fiber.interrupt(waiting)
    }),
  )

  it(
    "refuses a heartbeat that is no time, or out of bounds",
    effect(function* () {
      for (const heartbeat of ["99 millis", "61 minutes", 0, -1, "often"] as const) {
        const refused = connected({ heartbeat: heartbeat as "1 second" })
        expect(yield* Effect.flip(refused)).toMatchObject({
          reason: "InvalidOption",
          message: `heartbeat must be a time from 100 milliseconds to 1 hour, or false: "${heartbeat}"`,
        })
      }
    }),
  )
})
