/** Tests `onSessionLost: "new"` through a client over a network that fails, of a server that forgets sessions early. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { connected, eventsOf, running, soon, textOf } from "../testing/NetworkClient.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { maxKept } from "./EventFeed.ts"

const bare = { processId: "p", argv: ["x"], cwd: "file:///", env: {}, tty: false }

const lost = () => connected({ onSessionLost: "new" }, {}, { detachedMillis: 20 })

describe("a client with onSessionLost: new", () => {
  it(
    "fails the processes of the old session, and begins a new one with the next call",
    effect(function* () {
      const { client, fake, network, statuses } = yield* lost()
      const before = client.sessionId
      const old = yield* client.start({ argv: ["x"], processId: "p", pipeStdin: true })
      const reading = yield* Effect.forkChild(eventsOf(old))
      yield* settle
      yield* fake.next
      yield* network.cut
      yield* pass(soon)
      const message =
        "the peer closed the connection; failed to resume exec-server session: " +
        `unknown session id ${before}`
      const error = { reason: "SessionLost", message: `the session is lost: ${message}` }
      expect(yield* Fiber.join(reading)).toMatchObject([{ kind: "failed", ...error }])
      expect(yield* Effect.flip(old.exitCode)).toMatchObject(error)
      expect(statuses).toEqual([
        { kind: "reconnecting", message: "the peer closed the connection" },
        { kind: "sessionLost", message },
      ])
      // Nothing is opened without a request.
      const attempts = network.attempts.length
      yield* pass(60_000)
      expect(network.attempts.length).toBe(attempts)

      const starting = yield* Effect.forkChild(client.start({ argv: ["y"], processId: "p" }))
      yield* pass(soon)
      const fresh = yield* Fiber.join(starting)
      expect(client.sessionId).not.toBe(before)
      expect(statuses.slice(2)).toEqual([{ kind: "newSession", sessionId: client.sessionId }])
      // The handle of the old process does not reach the new one of that id.
      expect(yield* Effect.flip(old.terminate)).toMatchObject(error)
      expect(yield* Effect.flip(old.write(Uint8Array.of(1)))).toMatchObject(error)
      expect(yield* old.read()).toMatchObject({ exited: true, failure: error.message })
      const child = yield* fake.next
      child.output("stdout", "new")
      child.finish(0)
      expect(yield* textOf(fresh)).toBe("new")
    }),
  )

  it(
    "sends no call on a process of the old session to one with its id in the new session",
    effect(function* () {
      const { client, fake, network } = yield* lost()
      const old = yield* client.start({ argv: ["x"], processId: "p", pipeStdin: true })
      yield* fake.next
      yield* network.cut
      yield* settle
      const starting = yield* Effect.forkChild(client.start({ argv: ["y"], processId: "q" }))
      const calls = [old.interrupt, old.closeStdin, old.write(Uint8Array.of(1)), old.terminate]
      const waiting = yield* Effect.forEach(calls, (call) => Effect.forkChild(Effect.flip(call)))
      network.sent.length = 0
      yield* pass(2 * soon)
      for (const fiber of waiting) expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "SessionLost" })
      expect((yield* Fiber.join(starting)).id).toBe("q")
      expect(network.sent.filter((text) => text.includes(`"processId":"p"`))).toEqual([])
    }),
  )

  it(
    "starts nothing in the new session whose answer was lost in the old one",
    effect(function* () {
      const { client, fake, network } = yield* lost()
      network.toClient = (text) => (text.startsWith(`{"id"`) ? undefined : text)
      const starting = yield* Effect.forkChild(Effect.flip(client.start({ argv: ["x"], processId: "p" })))
      yield* fake.next
      yield* network.cut
      network.toClient = (text) => text
      yield* pass(1000)
      expect(yield* Fiber.join(starting)).toMatchObject({ reason: "SessionLost" })
      expect(fake.children.length).toBe(1)
    }),
  )

  it(
    "attaches to no process of the new session that has the id of one of the old session",
    effect(function* () {
      const { client, fake, network } = yield* lost()
      yield* client.call("process/start", bare)
      yield* fake.next
      yield* network.cut
      yield* settle
      const starting = yield* Effect.forkChild(client.call("process/start", bare))
      const attaching = yield* Effect.forkChild(Effect.flip(client.attach("p")))
      network.sent.length = 0
      yield* pass(2 * soon)
      expect(yield* Fiber.join(attaching)).toMatchObject({ reason: "SessionLost" })
      expect((yield* Fiber.join(starting)).processId).toBe("p")
      expect(network.sent.filter((text) => text.includes("process/read"))).toEqual([])
      // Nothing follows the old process any more.
      expect((yield* client.attach("p")).id).toBe("p")
    }),
  )

  it(
    "attaches to no process between the loss of a session and the begin of the next",
    effect(function* () {
      const { client, fake, network, statuses } = yield* lost()
      yield* client.call("process/start", bare)
      yield* fake.next
      yield* network.cut
      yield* pass(soon)
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "sessionLost"])
      network.sent.length = 0
      expect(yield* Effect.flip(client.attach("p"))).toMatchObject({ reason: "SessionLost" })
      const starting = yield* Effect.forkChild(client.call("process/start", bare))
      yield* pass(soon)
      expect((yield* Fiber.join(starting)).processId).toBe("p")
      expect(network.sent.filter((text) => text.includes("process/read"))).toEqual([])
      expect((yield* client.attach("p")).id).toBe("p")
    }),
  )

  it(
    "tells a consumer that reads missed events again that the session is lost, and no range of events",
    effect(function* () {
      const { client, fake, network } = yield* lost()
      const process = yield* client.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      for (let i = 0; i < 2 * maxKept.events; i++) child.output("stdout", "x")
      yield* Effect.repeat(settle, { times: 3 })
      yield* network.cut
      yield* settle
      const reading = yield* Effect.forkChild(eventsOf(process))
      yield* pass(2 * soon)
      const events = yield* Fiber.join(reading)
      expect(events).toHaveLength(maxKept.events + 1)
      expect(events.at(-1)).toMatchObject({ kind: "failed", reason: "SessionLost" })
    }),
  )

  it(
    "sends the calls that wait during the outage on the new session",
    effect(function* () {
      const { client, network, statuses } = yield* lost()
      yield* network.cut
      const waiting = yield* Effect.forkChild(client.call("environment/status", null))
      const starting = yield* Effect.forkChild(client.start({ argv: ["x"] }))
      yield* pass(2 * soon)
      expect(yield* Fiber.join(waiting)).toBeDefined()
      expect((yield* Fiber.join(starting)).id).toBeDefined()
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "sessionLost", "newSession"])
    }),
  )

  it(
    "fails the calls that wait when the server is away for too long, and tries again with the next one",
    effect(function* () {
      const { client, network } = yield* lost()
      network.reachable = false
      yield* network.cut
      for (let i = 0; i < 2; i++) {
        const waiting = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
        yield* pass(24_000)
        expect(yield* running(waiting)).toBe(true)
        yield* pass(2_000)
        expect((yield* Fiber.join(waiting)).message).toContain("nobody is there")
      }
      network.reachable = true
      const answered = yield* Effect.forkChild(client.call("environment/status", null))
      yield* pass(soon)
      expect(yield* Fiber.join(answered)).toBeDefined()
    }),
  )

  it(
    "resumes a session that the server still has",
    effect(function* () {
      const { client, network, statuses } = yield* connected({ onSessionLost: "new" })
      const before = client.sessionId
      yield* network.cut
      yield* pass(soon)
      expect(client.sessionId).toBe(before)
      expect(statuses.map(({ kind }) => kind)).toEqual(["reconnecting", "connected"])
    }),
  )
})
