import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, eventsOf, running, soon, textOf } from "../testing/NetworkClient.ts"

const both = [
  ["a server that replays", true],
  ["one that only answers reads", false],
] as const

describe("Reconnect", () => {
  it.each(both)("b80: loses and doubles no byte over a cut in the middle of output, of %s", (_, replays) =>
    effect(function* () {
      const { client, fake, network, statuses } = yield* connected({ replays })
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const reading = yield* Effect.forkChild(textOf(process))
      child.output("stdout", "one ")
      yield* settle
      child.output("stdout", "two ")
      yield* network.cut
      child.output("stdout", "three ")
      yield* settle
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting"])
      yield* pass(soon)
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "connected"])
      child.output("stdout", "four")
      child.finish(3)
      expect(yield* Fiber.join(reading)).toBe("one two three four")
      expect(yield* process.exitCode).toBe(3)
      const resumed = network.sent.filter((text) => text.includes(`"resumeSessionId":"0`))
      expect(resumed.length).toBe(1)
      expect(resumed[0]?.includes("replayAfter")).toBe(replays)
      const reads = network.sent.filter((text) => text.includes("process/read")).length
      expect(reads).toBe(1)
    })(),
  )

  it.each(both)("learns of an exit and an end that came during the outage, from %s", (_, replays) =>
    effect(function* () {
      const { client, fake, network } = yield* connected({ replays })
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      yield* network.cut
      child.output("stderr", "bye")
      child.finish(7)
      yield* pass(soon)
      const events = yield* eventsOf(process)
      expect(events.map(({ kind }) => kind)).toEqual(["output", "exited", "closed"])
      expect(yield* process.exitCode).toBe(7)
    })(),
  )

  it.each(both)(
    "b81: ends and terminates a process whose events are gone, and says which, of %s",
    (_, replays) =>
      effect(function* () {
        const { client, fake, network } = yield* connected({ replays })
        const process = yield* client.start({ argv: ["x"], processId: "p" })
        const other = yield* client.start({ argv: ["y"], processId: "q" })
        const [child, neighbour] = [yield* fake.next, yield* fake.next]
        child.output("stdout", "seen")
        yield* settle
        yield* network.cut
        for (let n = 0; n < 40; n++) child.output("stdout", new Uint8Array(64 * 1024))
        yield* pass(soon)
        yield* pass(soon)
        const gone = { from: 2, to: 25 }
        const message =
          "failed to recover process p: process events are no longer retained while recovering " +
          "through sequence 41 (2 to 25 are gone)"
        expect(yield* eventsOf(process)).toMatchObject([
          { kind: "output", seq: 1 },
          { kind: "failed", reason: "EventsLost", message, gone },
        ])
        expect(yield* Effect.flip(process.exitCode)).toMatchObject({ reason: "EventsLost", message, gone })
        expect(child.kills).toBe(1)
        neighbour.finish()
        expect(yield* other.exitCode).toBe(0)
      })(),
  )

  it.each(both)("learns of an end that was long ago, as long as it is retained, from %s", (_, replays) =>
    effect(function* () {
      const { client, fake, network } = yield* connected({ replays })
      const process = yield* client.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      network.reachable = false
      yield* network.cut
      child.finish(6)
      yield* pass(20_000)
      network.reachable = true
      yield* pass(3000)
      expect(yield* process.exitCode).toBe(6)
    })(),
  )

  it(
    "fails a process that is unknown to the session after the resumption, with what is gone of it",
    effect(function* () {
      const { client, fake, network } = yield* connected({}, {}, { retentionMillis: 10 })
      const process = yield* client.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      child.output("stdout", "seen")
      yield* settle
      yield* network.cut
      child.finish()
      yield* pass(soon)
      expect(yield* Effect.flip(process.closed)).toMatchObject({
        reason: "EventsLost",
        message: "failed to recover process p: unknown process id p",
        gone: { from: 2 },
      })
    }),
  )

  it(
    "serves a consumer that comes during the outage, from what is kept and from the server",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const numbers = Array.from({ length: 600 }, (_, n) => `${n} `)
      for (const text of numbers) child.output("stdout", text)
      for (let n = 0; n < 10; n++) yield* settle
      yield* network.cut
      yield* settle
      const reading = yield* Effect.forkChild(textOf(process))
      yield* settle
      yield* pass(soon)
      child.finish()
      expect(yield* Fiber.join(reading)).toBe(numbers.join(""))
    }),
  )

  it(
    "ends at once when it is closed during an outage",
    effect(function* () {
      const scope = yield* Scope.make()
      const { client, network } = yield* Scope.provide(connected(), scope)
      const process = yield* client.start({ argv: ["x"] })
      network.reachable = false
      yield* network.cut
      yield* pass(1000)
      const waiting = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      const closed = {
        reason: "Disconnected",
        message: "exec-server transport disconnected: the client was closed",
      }
      expect(yield* Fiber.join(waiting)).toMatchObject(closed)
      expect(yield* Effect.flip(process.exitCode)).toMatchObject(closed)
    }),
  )

  it(
    "works, reconnects and ends also where it was made in a region that nothing may interrupt",
    effect(function* () {
      const scope = yield* Scope.make()
      const { client, fake, network } = yield* Effect.uninterruptible(Scope.provide(connected(), scope))
      const process = yield* client.start({ argv: ["x"] })
      yield* network.cut
      ;(yield* fake.next).output("stdout", "x")
      yield* pass(soon)
      const starting = yield* Effect.forkChild(
        client.call("process/read", { processId: process.id, afterSeq: 9, waitMs: 99_999 }),
      )
      yield* settle
      yield* Fiber.interrupt(starting)
      network.reachable = false
      yield* network.cut
      yield* settle
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* settle
      expect(yield* running(closing)).toBe(false)
      expect(yield* eventsOf(process)).toMatchObject([{ kind: "output" }, { kind: "failed" }])
    }),
  )
})
