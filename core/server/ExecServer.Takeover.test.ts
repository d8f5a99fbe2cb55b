/** Tests ExecServer.ts: `takeover` of `initialize`, in every state of the connection that has the session. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { type Client, error, event, ready, type Received, start } from "./testing/Client.ts"

/** `initialize` of a taker; the answer to it has the id 1. */
const take = (client: Client, resumeSessionId: string, more: object = {}) =>
  client.send({
    id: 1,
    method: "initialize",
    params: { clientName: "taker", resumeSessionId, takeover: true, ...more },
  })

const brief = (message: Received) =>
  message.method?.startsWith("process/") === true
    ? event(message)
    : (message.method ?? `${message.error?.code ?? "answer"} to ${message.id}`)

const refusal = "session has been resumed by another connection"

describe("ExecServer takeover", () => {
  it(
    "announces it, and moves an attached session with what was missed, exactly once",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      child.output("stdout", "1")
      expect((yield* client.received).map(brief)).toEqual(["output 1"])
      const taker = yield* connect
      take(taker, sessionId, { replayAfter: { p: 0 } })
      child.output("stdout", "2")
      yield* settle
      child.output("stdout", "3")
      const [answer, ...events] = yield* taker.received
      expect(answer).toMatchObject({
        id: 1,
        result: { sessionId, environmentInfo: { capabilities: { sessionTakeover: true } } },
      })
      expect(events.map(brief)).toEqual(["output 1", "output 2", "output 3"])
      // Output from before the takeover was sent to the old connection, too; nothing comes after the last words.
      expect((yield* client.received).map(brief)).toEqual(["output 2", "session/taken"])
      expect(yield* client.ended).toBe(true)
    }),
  )

  it(
    "refuses without `takeover`, and with false or null, and leaves the session where it is",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      for (const takeover of [undefined, false, null]) {
        const other = yield* connect
        take(other, sessionId, { takeover })
        expect(yield* other.received).toMatchObject([
          error(-32010, `session ${sessionId} is already attached to another connection`),
        ])
      }
      expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
    }),
  )

  it(
    "resumes a session that nobody has, and opens one where none is named",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      yield* client.transport.close
      yield* settle
      const taker = yield* connect
      take(taker, sessionId)
      expect(yield* taker.received).toMatchObject([{ result: { sessionId } }])
      const fresh = yield* connect
      const { result } = yield* fresh.ask("initialize", { clientName: "x", takeover: true })
      expect(result?.sessionId).not.toBe(sessionId)
    }),
  )

  it(
    "refuses a session that does not exist",
    effect(function* () {
      const { connect } = yield* ready()
      const taker = yield* connect
      take(taker, "nobody's")
      expect(yield* taker.received).toMatchObject([error(-32600, "unknown session id nobody's")])
    }),
  )

  it(
    "ends every request that waits with an error, those behind `--concurrent-requests` too, then the connection",
    effect(function* () {
      const gate = Latch.makeUnsafe(false)
      const limits = { concurrentRequests: 3 }
      const { connect, client, sessionId, fake } = yield* ready(
        { beforeSpawn: ({ argv }) => (argv[0] === "slow" ? gate.await : Effect.void) },
        { limits },
      )
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      const read = { processId: "p", waitMs: 100_000 }
      client.send(
        { id: 1, method: "process/read", params: read },
        { id: 2, method: "process/start", params: start("q", { argv: ["slow"] }) },
        { id: 3, method: "process/read", params: read },
        { id: 4, method: "process/read", params: read },
      )
      yield* settle
      const taker = yield* connect
      take(taker, sessionId)
      const last = yield* client.received
      expect(last.map(brief)).toEqual([
        "-32012 to 1",
        "-32012 to 2",
        "-32012 to 3",
        "-32012 to 4",
        "session/taken",
      ])
      expect(last[0]).toMatchObject(error(-32012, refusal))
      expect(last.at(-1)?.params).toEqual({ sessionId })
      expect(yield* client.ended).toBe(true)
      // A start under way goes on, and belongs to the taker from its first event.
      yield* gate.open
      ;(yield* fake.next).output("stdout", "1")
      child.output("stdout", "1")
      expect((yield* taker.received).slice(1).map(({ params }) => params?.processId)).toEqual(["q", "p"])
    }),
  )

  it(
    "drops a write that waits for room in stdin, which the taker can send again",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      child.stall()
      const write = (id: number) => ({
        id,
        method: "process/write",
        params: { processId: "p", chunk: "eA==", writeId: `${id}` },
      })
      client.send(...Array.from({ length: 200 }, (_, id) => write(id)))
      const answered = (yield* client.received).length
      expect(answered).toBeLessThan(200)
      const taker = yield* connect
      take(taker, sessionId)
      yield* taker.received
      taker.send({ method: "initialized" }, ...Array.from({ length: 200 }, (_, id) => write(id)))
      yield* settle
      child.read()
      expect((yield* taker.received).length).toBe(200)
      expect(child.written).toBe("x".repeat(200))
    }),
  )

  it(
    "takes from a connection that has not said `initialized`, and in the middle of its replay",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      for (let n = 0; n < 40; n++) child.output("stdout", new Uint8Array(16 * 1024))
      yield* client.received
      for (let yields = 0; yields < 12; yields++) {
        const before = yield* connect
        take(before, sessionId, { replayAfter: { p: 0 } })
        yield* Effect.repeat(Effect.yieldNow, { times: yields })
        const after = yield* connect
        take(after, sessionId, { replayAfter: { p: 0 } })
        const [answer, ...events] = yield* after.received
        expect(answer).toMatchObject({ id: 1, result: { sessionId } })
        expect(events.map(({ params }) => params?.seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
        expect((yield* before.received).at(-1)?.method).toBe("session/taken")
        expect(yield* before.ended).toBe(true)
      }
    }),
  )

  it(
    "gives the session to one of two that take it at once, and tells the other",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      const rivals = [yield* connect, yield* connect]
      for (const rival of rivals) take(rival, sessionId, { replayAfter: { p: 0 } })
      yield* settle
      child.output("stdout", "1")
      const said = (yield* Effect.all(rivals.map((rival) => rival.received))).map((all) => all.map(brief))
      expect(said).toEqual([
        ["answer to 1", "session/taken"],
        ["answer to 1", "output 1"],
      ])
      yield* client.received
      expect(yield* Effect.all([client, ...rivals].map(({ ended }) => ended))).toEqual([true, true, false])
    }),
  )

  it(
    "keeps for the taker what the old connection had yet to send, however much that is",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready({}, { limits: { retainedBytes: 65_536 } })
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      // Nothing is taken from the transport, so that the rest waits in the log and the child is paused.
      let written = 0
      for (; written < 10_000 && !child.paused; written++) child.output("stdout", new Uint8Array(64 * 1024))
      const taker = yield* connect
      take(taker, sessionId, { replayAfter: { p: 0 } })
      const seqs = (yield* taker.received).slice(1).map(({ params }) => params?.seq ?? 0)
      const [first = 0] = seqs
      expect(seqs).toEqual(Array.from({ length: written - first + 1 }, (_, n) => first + n))
      expect(seqs.length).toBeGreaterThan(3)
      expect(child.paused).toBe(false)
    }),
  )
})
