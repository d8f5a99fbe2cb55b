/** Tests Reconnect.ts: sessions that the server still counts as connected, and those that another client takes. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, eventsOf, soon, textOf } from "../testing/NetworkClient.ts"
import type { SpawnSpec } from "../spawn/Spawner.ts"
import * as ExecClient from "./ExecClient.ts"

const takenOver = {
  reason: "Disconnected",
  code: -32012,
  message: "exec-server transport disconnected: another connection has taken the session over",
}

const initializes = (sent: ReadonlyArray<string>) =>
  sent.filter((text) => text.includes(`"initialize"`)).map((text) => text.includes(`"takeover":true`))

describe("Takeover", () => {
  it(
    "takes its session back at the first attempt when only its own side of the connection has ended",
    effect(function* () {
      const { client, fake, network, statuses } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const reading = yield* Effect.forkChild(textOf(process))
      for (let round = 0; round < 20; round++) {
        child.output("stdout", `a${round} `)
        yield* settle
        yield* network.strand
        child.output("stdout", `b${round} `)
        yield* pass(soon)
      }
      child.finish(3)
      const rounds = Array.from({ length: 20 }, (_, round) => `a${round} b${round} `)
      expect(yield* Fiber.join(reading)).toBe(rounds.join(""))
      expect(yield* process.exitCode).toBe(3)
      expect(network.attempts.length).toBe(21)
      expect(initializes(network.sent)).toEqual([false, ...rounds.map(() => true)])
      expect(statuses.filter(({ kind }) => kind === "failed")).toEqual([])
    }),
  )

  it(
    "says nothing of takeover to a server that does not announce it",
    effect(function* () {
      const { client, network } = yield* connected({ hands: false })
      yield* client.start({ argv: ["x"] })
      yield* network.cut
      yield* pass(soon)
      expect(initializes(network.sent)).toEqual([false, false])
    }),
  )

  it(
    "sends again what waited for an answer on the connection that it has lost",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const waiting = yield* Effect.forkChild(process.read({ waitMs: 60_000 }))
      yield* settle
      yield* network.strand
      yield* pass(soon)
      child.output("stdout", "x")
      expect((yield* Fiber.join(waiting)).chunks.length).toBe(1)
    }),
  )

  it(
    "ends when another client takes its session, and does not take it back",
    effect(function* () {
      const beforeSpawn = ({ argv }: SpawnSpec) => (argv[0] === "slow" ? Effect.never : Effect.void)
      const { client, fake, network, statuses } = yield* connected({}, { beforeSpawn })
      const process = yield* client.start({ argv: ["x"], processId: "p" })
      ;(yield* fake.next).output("stdout", "x")
      const waiting = yield* Effect.forkChild(Effect.flip(client.start({ argv: ["slow"] })))
      yield* settle
      const refused = ExecClient.make(network.open, { resumeSessionId: client.sessionId })
      expect(yield* Effect.flip(Effect.scoped(refused))).toMatchObject({ reason: "Server", code: -32010 })
      const taker = yield* ExecClient.make(network.open, {
        resumeSessionId: client.sessionId,
        takeover: true,
        reconnect: {},
      })
      expect(yield* client.disconnected).toMatchObject(takenOver)
      expect(yield* Effect.flip(process.exitCode)).toMatchObject(takenOver)
      expect((yield* eventsOf(process)).at(-1)).toMatchObject({ kind: "failed", reason: "Disconnected" })
      expect(yield* Effect.flip(client.call("environment/status", null))).toMatchObject(takenOver)
      expect(yield* Fiber.join(waiting)).toMatchObject(takenOver)
      expect(statuses).toEqual([{ kind: "failed", message: "another connection has taken the session over" }])
      yield* pass(30_000)
      expect(network.attempts.length).toBe(3)
      const again = yield* taker.attach("p")
      fake.children[0]?.finish(4)
      expect(yield* textOf(again)).toBe("x")
      expect(yield* again.exitCode).toBe(4)
    }),
  )

  it(
    "begins a new session with its next call when another client has taken the one before",
    effect(function* () {
      const { client, network, statuses } = yield* connected({ onSessionLost: "new" })
      const process = yield* client.start({ argv: ["x"] })
      const before = client.sessionId
      yield* ExecClient.make(network.open, { resumeSessionId: before, takeover: true })
      yield* settle
      expect(yield* Effect.flip(process.exitCode)).toMatchObject({ reason: "SessionLost" })
      const next = yield* Effect.forkChild(client.call("environment/status", null))
      yield* pass(soon)
      expect(yield* Fiber.join(next)).toEqual({ status: "ready" })
      expect(client.sessionId).not.toBe(before)
      expect(statuses.map(({ kind }) => kind)).toEqual(["sessionLost", "newSession"])
    }),
  )
})
