/** AuditEvent, AuditedStart, AuditedFiles, AuditedHttp: what a server writes into its audit log, and when. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as FakeHttp from "../../http/Fake.ts"
import { toBase64, utf8 } from "../../protocol/Bytes.ts"
import * as Shape from "../../protocol/shape/index.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { error, handshake, ready, start } from "../testing/Client.ts"
import * as AuditedHttp from "./AuditedHttp.ts"
import { Event } from "./AuditEvent.ts"
import { AuditError, type AuditLog } from "./AuditLog.ts"

/** A log in memory; `broken` refuses what has not happened yet. */
const make = () => {
  const events: Array<Event> = []
  const state = { broken: false, slow: Effect.void as Effect.Effect<void> }
  const auditLog: AuditLog = {
    admit: (event) =>
      Effect.andThen(
        state.slow,
        Effect.suspend(() => {
          if (state.broken) return Effect.fail(new AuditError({ reason: "Write", message: "disk full" }))
          events.push(event)
          return Effect.void
        }),
      ),
    note: (event) => void events.push(event),
  }
  return { auditLog, events, state }
}

const names = (events: ReadonlyArray<Event>) => events.map(({ event }) => event)

const secret = "s3cr3t"

describe("Auditing", () => {
  it(
    "says who starts what, before it starts, and how it ended, as the schema says and without payload",
    effect(function* () {
      const { auditLog, events } = make()
      const { client, fake, sessionId } = yield* ready({}, { auditLog })
      yield* client.ask("process/start", start("p", { argv: ["cat", "-n"], env: { TOKEN: secret } }))
      expect(names(events)).toEqual(["process.start", "process.started"])
      const child = yield* fake.next
      yield* client.ask("process/write", {
        processId: "p",
        writeId: "w",
        chunk: toBase64(utf8.encode(secret)),
      })
      child.output("stdout", secret)
      child.output("stderr", "12")
      yield* pass(1500)
      child.finish({ kind: "signaled", signal: 9 })
      yield* settle
      const origin = { connection: 1, peer: { transport: "other" }, session: sessionId, processId: "p" }
      expect(events).toEqual([
        {
          ...origin,
          event: "process.start",
          time: "1970-01-01T00:00:00.000Z",
          argv: ["cat", "-n"],
          arg0: undefined,
          cwd: "/tmp",
          tty: false,
          confined: false,
        },
        { ...origin, event: "process.started", time: "1970-01-01T00:00:00.000Z", pid: fake.children[0]?.pid },
        {
          ...origin,
          event: "process.exit",
          time: "1970-01-01T00:00:01.500Z",
          pid: fake.children[0]?.pid,
          start: "1970-01-01T00:00:00.000Z",
          end: "1970-01-01T00:00:01.500Z",
          durationMs: 1500,
          bytes: secret.length + 2,
          exitCode: 137,
          signal: 9,
        },
      ])
      for (const event of events)
        expect(Shape.decode(Event, event, { plain: true })).toEqual(Result.succeed(event))
      expect(JSON.stringify(events)).not.toContain(secret)
    }),
  )

  it(
    "starts nothing that the log does not take, frees the id, and serves the rest",
    effect(function* () {
      const { auditLog, events, state } = make()
      const { client, fake } = yield* ready({}, { auditLog })
      state.broken = true
      expect(yield* client.ask("process/start", start("p"))).toMatchObject(error(-32603, "disk full"))
      expect(fake.children.length).toBe(0)
      expect(events).toMatchObject([{ event: "process.failed", processId: "p", reason: "Unaudited" }])
      expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
      state.broken = false
      expect(yield* client.ask("process/start", start("p"))).toMatchObject({ result: { processId: "p" } })
    }),
  )

  it(
    "keeps the order of requests on a process while the log is slow",
    effect(function* () {
      const { auditLog, state } = make()
      const { client, fake } = yield* ready({}, { auditLog })
      state.slow = Effect.sleep(1000)
      client.send(
        { id: 1, method: "process/start", params: start("p") },
        { id: 2, method: "process/write", params: { processId: "p", writeId: "w", chunk: "aGk=" } },
        { id: 3, method: "process/start", params: start("p") },
      )
      expect(yield* client.received).toMatchObject([{ id: 3, error: { code: -32600 } }])
      expect(fake.children.length).toBe(0)
      yield* pass(1000)
      expect((yield* client.received).map(({ id }) => id)).toEqual([1, 2])
      expect(fake.children[0]?.written).toBe("hi")
    }),
  )

  it(
    "says which client interrupts or kills a process that runs",
    effect(function* () {
      const { auditLog, events } = make()
      const { client, connect, sessionId } = yield* ready({}, { auditLog })
      yield* client.ask("process/start", start("p"))
      yield* client.ask("process/start", start("q"))
      yield* client.transport.close
      yield* settle
      const other = yield* connect
      yield* handshake(other, sessionId)
      other.send({ id: 1, method: "process/signal", params: { processId: "p", signal: "interrupt" } })
      other.send({ id: 2, method: "process/terminate", params: { processId: "q" } })
      other.send({ id: 3, method: "process/terminate", params: { processId: "q" } })
      yield* other.received
      expect(events.filter(({ event }) => event === "process.signal")).toMatchObject([
        { connection: 2, session: sessionId, processId: "p", signal: "SIGINT" },
        { connection: 2, session: sessionId, processId: "q", signal: "SIGKILL" },
      ])
      expect(events.filter(({ event }) => event === "process.exit")).toMatchObject([
        { connection: 1, processId: "q", signal: 9 },
      ])
    }),
  )

  it(
    "says once that a process has ended when its session is ended before it is closed",
    effect(function* () {
      const { auditLog, events } = make()
      const { client, fake } = yield* ready({}, { auditLog, detachedMillis: 1000 })
      yield* client.ask("process/start", start("p"))
      yield* client.transport.close
      yield* settle
      yield* pass(10_000)
      expect(fake.children[0]?.released).toBe(true)
      expect(names(events)).toEqual(["process.start", "process.started", "process.exit"])
    }),
  )

  it(
    "has HTTP requests with status and bytes, without what may be secret, and sends none that it cannot write",
    effect(function* () {
      const { auditLog, events, state } = make()
      const answer = () =>
        Effect.sync(() => FakeHttp.response(201, {}, [utf8.encode("abc"), utf8.encode(secret)]))
      const { client } = yield* ready({}, { auditLog, answer })
      const params = {
        method: "POST",
        url: `http://user:${secret}@host:81/a?b=${secret}#${secret}`,
        headers: [{ name: "authorization", value: secret }],
        bodyBase64: toBase64(utf8.encode(secret)),
        requestId: "r",
      }
      yield* client.ask("http/request", params)
      state.broken = true
      expect(yield* client.ask("http/request", params)).toMatchObject(error(-32603, "disk full"))
      expect(JSON.stringify(events)).not.toContain(secret)
      expect(events).toMatchObject([
        { event: "http", operation: 1, method: "POST", url: "http://host:81/a?", outcome: "begun" },
        { event: "http", operation: 1, outcome: "done", status: 201, bytes: 3 + secret.length },
      ])
    }),
  )

  it.each([
    ["http://h/p", "http://h/p"],
    ["https://a:b@h:1/p?q#f", "https://h:1/p?"],
    ["http://h#f", "http://h"],
    ["http://h?q=@/x", "http://h?"],
    ["no url", ""],
  ])("writes %s as %s", (url, said) => expect(AuditedHttp.publicUrl(url)).toBe(said))
})
