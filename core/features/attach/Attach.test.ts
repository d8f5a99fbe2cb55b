/** Tests the feature in servers: `process/attach` and `process/detach`, in the own session and in those of others. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scroll from "../testing/Scroll.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { type Client, error, handshake, ready, type Received, start } from "../../server/testing/Client.ts"

/** Received messages, in short. */
const brief = ({ method, params, error, result }: Received) => {
  const { processId, seq, chunk, from, to, writer, reason } = (params ?? {}) as Record<string, unknown>
  if (method === undefined) return error === undefined ? `answer ${JSON.stringify(result)}` : error.message
  const what = [seq, from, to, writer, reason, chunk === undefined ? undefined : atob(String(chunk))]
  return [method.slice(8), processId, ...what.filter((part) => part !== undefined)].join(" ")
}

const news = (client: Client) => Effect.map(client.received, (all) => all.map(brief))

/** The answer, and what followed it. */
const attach = (client: Client, params: object) =>
  Effect.gen(function* () {
    client.send({ id: 1, method: "process/attach", params })
    const all = yield* client.received
    const answer = all.find(({ id }) => id === 1) as Received & { readonly result?: Record<string, unknown> }
    return { answer, events: all.filter(({ id }) => id !== 1).map(brief) }
  })

const write = (client: Client, processId: string, text: string) =>
  client.ask("process/write", { processId, chunk: btoa(text), writeId: text })

/** An owner with a process, and another connection with the scope `control`. */
const two = (params: object = {}, server: object = {}) =>
  Effect.gen(function* () {
    const { client: owner, fake, connect, sessionId } = yield* ready({}, { scope: "control", ...server })
    yield* owner.ask("process/start", start("web", params))
    const child = yield* fake.next
    const other = yield* connect
    const otherId = yield* handshake(other)
    return { owner, other, child, connect, sessionId, otherId, fake }
  })

const theirs = { session: 1, processId: "web", as: "p9" }

const writerOf = (name: string) =>
  `process ${name} is written to by another client: take the role with \`take: true\``
const viewer = (name: string) =>
  `${name} is attached as a viewer: attach as the writer, by process/attach with role "writer"`

describe("process/attach", () => {
  it(
    "gives a viewer of another session what is retained and what comes, under the id that it has chosen",
    effect(function* () {
      const { owner, other, child } = yield* two({ name: "server", labels: { k: "v" } })
      child.output("stdout", "one")
      const { answer, events } = yield* attach(other, theirs)
      expect(answer.result).toMatchObject({
        processId: "p9",
        process: {
          processId: "web",
          session: 1,
          name: "server",
          labels: { k: "v" },
          state: "running",
          nextSeq: 2,
        },
        firstSeq: 1,
        writer: false,
      })
      expect(events).toEqual(["output p9 1 one"])
      child.output("stderr", "two")
      child.finish(0)
      expect(yield* news(other)).toEqual(["output p9 2 two", "exited p9 3", "closed p9 4"])
      expect(yield* news(owner)).toEqual([
        "output web 1 one",
        "output web 2 two",
        "exited web 3",
        "closed web 4",
      ])
    }),
  )

  it(
    "begins behind afterSeq, and at the last event for one that there is not yet",
    effect(function* () {
      const { other, child } = yield* two()
      child.output("stdout", "1")
      child.output("stdout", "2")
      expect((yield* attach(other, { ...theirs, afterSeq: 1 })).events).toEqual(["output p9 2 2"])
      expect((yield* attach(other, { ...theirs, as: "late", afterSeq: 99 })).events).toEqual([])
      child.output("stdout", "3")
      expect(yield* news(other)).toEqual(["output p9 3 3", "output late 3 3"])
    }),
  )

  it(
    "lets every method of processes work under the id of the attachment",
    effect(function* () {
      const { other, child, owner } = yield* two({ tty: true })
      child.output("pty", "ready")
      yield* attach(other, { ...theirs, role: "writer", take: true })
      expect((yield* other.ask("process/read", { processId: "p9", afterSeq: 0 })).result).toMatchObject({
        chunks: [{ seq: 1 }],
        nextSeq: 2,
      })
      expect((yield* write(other, "p9", "ls")).result).toEqual({ status: "accepted" })
      yield* other.ask("process/resize", { processId: "p9", rows: 9, columns: 10 })
      expect(child.sizes.at(-1)).toEqual({ rows: 9, columns: 10 })
      const until = [{ pattern: "ready" }]
      expect((yield* other.ask("process/wait", { processId: "p9", until })).result).toMatchObject({ met: 0 })
      yield* other.ask("process/signal", { processId: "p9", signal: "interrupt" })
      expect(child.signals).toEqual(["SIGINT"])
      other.send({ id: 2, method: "process/terminate", params: { processId: "p9" } })
      expect((yield* news(other)).sort()).toEqual(['answer {"running":true}', "closed p9 3", "exited p9 2"])
      expect(child.kills).toBe(1)
      expect(yield* news(owner)).toEqual([
        "output web 1 ready",
        "writer web false",
        "exited web 2",
        "closed web 3",
      ])
    }),
  )

  it(
    "refuses what viewers write, and lets one writer at a time take the role, of which both are told",
    effect(function* () {
      const { owner, other, connect, child } = yield* two({ tty: true })
      yield* attach(other, theirs)
      for (const [method, params] of [
        ["process/write", { chunk: "", writeId: "w" }],
        ["process/resize", { rows: 1, columns: 1 }],
        ["process/closeStdin", {}],
        ["process/signal", { signal: "interrupt" }],
        ["process/terminate", {}],
        ["process/terminate", { remove: true }],
      ] as const)
        expect(yield* other.ask(method, { processId: "p9", ...params })).toMatchObject(
          error(-32600, viewer("p9")),
        )
      expect([child.writes, child.sizes, child.signals, child.kills]).toEqual([[], [], [], 0])

      expect((yield* attach(other, { ...theirs, role: "writer" })).answer).toMatchObject(
        error(-32600, writerOf("web")),
      )
      const taken = yield* attach(other, { ...theirs, role: "writer", take: true })
      expect([taken.answer.result?.["writer"], taken.events]).toEqual([true, ["writer p9 true"]])
      expect(yield* news(owner)).toEqual(["writer web false"])
      expect(yield* write(owner, "web", "x")).toMatchObject(
        error(
          -32600,
          'process web is written to by another client: take it back by process/attach with role "writer" and take',
        ),
      )
      // It is the owner's still to end.
      expect(yield* owner.ask("process/signal", { processId: "web", signal: "interrupt" })).toMatchObject({
        result: {},
      })

      const third = yield* connect
      yield* handshake(third)
      const refused = yield* attach(third, { ...theirs, as: "mine", role: "writer" })
      expect(refused.answer).toMatchObject(error(-32600, writerOf("web")))
      const now = yield* attach(third, { ...theirs, as: "mine", role: "writer", take: true })
      expect([now.answer.result?.["writer"], now.events]).toEqual([true, ["writer mine true"]])
      expect(yield* news(other)).toEqual(["writer p9 false"])
      expect(yield* write(other, "p9", "x")).toMatchObject(error(-32600, viewer("p9")))

      // A writer that leaves gives the role back to the one it was taken from, and the last one to the owner.
      yield* third.ask("process/detach", { processId: "mine" })
      expect(yield* news(other)).toEqual(["writer p9 true"])
      yield* other.transport.close
      expect(yield* news(owner)).toEqual(["writer web true"])
      expect((yield* write(owner, "web", "y")).result).toEqual({ status: "accepted" })
    }),
  )

  // guards: one-writer
  it(
    "gives the owner its role back when it asks for it under its own id",
    effect(function* () {
      const { owner, other } = yield* two()
      yield* attach(other, { ...theirs, role: "writer", take: true })
      yield* owner.received
      expect(yield* owner.ask("process/attach", { processId: "web", role: "writer" })).toMatchObject(
        error(-32600, writerOf("web")),
      )
      const back = yield* attach(owner, { processId: "web", role: "writer", take: true })
      expect(yield* news(other)).toEqual(["writer p9 false"])
      expect([back.answer.result?.["writer"], back.events]).toEqual([true, ["writer web true"]])
      expect((yield* write(owner, "web", "x")).result).toEqual({ status: "accepted" })
      // No second stream of events has begun.
      yield* other.ask("process/detach", { processId: "p9" })
      expect(yield* news(owner)).toEqual([])
    }),
  )

  it(
    "lets who attaches to a process of a session without a connection write, and tells the owner that comes back",
    effect(function* () {
      const { owner, other, connect, sessionId } = yield* two()
      yield* owner.transport.close
      yield* settle
      const { answer, events } = yield* attach(other, { ...theirs, role: "writer" })
      expect([answer.result?.["writer"], events]).toEqual([true, ["writer p9 true"]])
      const again = yield* connect
      again.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
      expect((yield* news(again)).slice(1)).toEqual(["writer web false"])
      again.send({ method: "initialized" })
      yield* other.transport.close
      expect(yield* news(again)).toEqual(["writer web true"])
    }),
  )

  // guards: one-writer
  it(
    "tells an owner that comes back that it has its role again",
    effect(function* () {
      const { owner, other, connect, sessionId } = yield* two()
      yield* attach(other, { ...theirs, role: "writer", take: true })
      expect(yield* news(owner)).toEqual(["writer web false"])
      yield* owner.transport.close
      yield* settle
      yield* other.ask("process/detach", { processId: "p9" })
      const again = yield* connect
      again.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
      expect((yield* news(again)).slice(1)).toEqual(["writer web true"])
    }),
  )

  it(
    "attaches to a process of the own session again, with a cursor of its own",
    effect(function* () {
      const { owner, child } = yield* two()
      child.output("stdout", "1")
      yield* owner.received
      expect((yield* attach(owner, { processId: "web", as: "again" })).events).toEqual(["output again 1 1"])
      child.output("stdout", "2")
      expect(yield* news(owner)).toEqual(["output web 2 2", "output again 2 2"])
      yield* owner.ask("process/detach", { processId: "again" })
      child.output("stdout", "3")
      expect(yield* news(owner)).toEqual(["output web 3 3"])
      expect(yield* owner.ask("process/read", { processId: "again" })).toMatchObject(
        error(-32600, "unknown process id again"),
      )
    }),
  )

  it(
    "never gives one id two meanings",
    effect(function* () {
      const { owner, other } = yield* two()
      yield* owner.ask("process/start", start("db"))
      yield* attach(other, theirs)
      const taken = error(-32600, "process p9 already exists")
      expect((yield* attach(other, { ...theirs, processId: "db" })).answer).toMatchObject(taken)
      expect(yield* other.ask("process/start", start("p9"))).toMatchObject(taken)
      yield* other.ask("process/start", start("own"))
      expect((yield* attach(other, { ...theirs, as: "own" })).answer).toMatchObject(
        error(-32600, "process own already exists"),
      )
      expect(yield* other.ask("process/detach", { processId: "own" })).toMatchObject(
        error(-32600, "own is no attachment of this connection"),
      )
    }),
  )

  it(
    "ends with `process/detached` when the process is removed or its session ends, and is closed first if it is closed",
    effect(function* () {
      const { owner, other, child, fake } = yield* two()
      yield* attach(other, theirs)
      child.finish(0)
      expect(yield* news(other)).toEqual(["exited p9 1", "closed p9 2"])
      expect((yield* other.ask("process/read", { processId: "p9" })).result).toMatchObject({ nextSeq: 3 })
      yield* pass(30_000)
      expect(yield* news(other)).toEqual([])
      expect(yield* other.ask("process/read", { processId: "p9" })).toMatchObject(
        error(-32600, "unknown process id p9"),
      )
      yield* owner.received
      yield* owner.ask("process/start", start("web"))
      yield* fake.next
      yield* attach(other, theirs)
      yield* owner.transport.close
      yield* pass(80_000)
      expect(yield* news(other)).toEqual(["detached p9 sessionEnd"])
      expect(yield* other.ask("process/read", { processId: "p9" })).toMatchObject(
        error(-32600, "unknown process id p9"),
      )
    }),
  )

  it(
    "stalls the child for `block` as for an owner, and never for `skip`, which tells what it has missed",
    effect(function* () {
      const { owner, other, child, connect } = yield* two({}, { limits: { retainedBytes: 65_536 } })
      const slow = yield* connect
      yield* handshake(slow)
      yield* attach(other, { ...theirs, credit: 65_536 })
      // A viewer that does not read, without a credit: its transport is full at some time.
      const chunk = "x".repeat(65_536)
      for (let at = 0; at < 40; at++) {
        child.output("stdout", chunk)
        yield* owner.received
      }
      expect(child.pauses).toBe(0)
      expect((yield* news(other)).map((text) => text.slice(0, 12))).toEqual(["output p9 1 "])
      const grant = { processId: "p9", bytes: 65_536 * 10 }
      other.send({ id: 3, method: "process/credit", params: grant })
      const later = (yield* news(other)).map((text) =>
        text.split(" ").slice(0, 4).join(" ").slice(0, 14).trim(),
      )
      expect(later[0]).toMatch(/^gap p9 2 \d+$/)
      const to = Number(later[0]?.split(" ")[3])
      expect(to).toBeGreaterThan(30)
      expect(later[1]).toContain(`output p9 ${to + 1}`)

      yield* attach(slow, { ...theirs, policy: "block", credit: 65_536 })
      for (let at = 0; at < 8; at++) {
        child.output("stdout", chunk)
        yield* owner.received
      }
      expect(child.paused).toBe(true)
      yield* slow.ask("process/detach", { processId: "p9" })
      expect(child.paused).toBe(false)
    }),
  )

  it(
    "never leaves out an exit, an end or a mark in a gap",
    effect(function* () {
      const { owner, other, child } = yield* two(
        { marks: true, tty: true },
        { limits: { retainedBytes: 65_536 } },
      )
      yield* attach(other, { ...theirs, credit: 65_536 })
      const chunk = "x".repeat(65_536)
      for (let at = 0; at < 3; at++) child.output("pty", chunk)
      child.output("pty", "\u001b]133;C\u0007")
      child.exit(0)
      yield* pass(1000)
      for (let at = 0; at < 3; at++) child.output("pty", chunk)
      child.end()
      yield* owner.received
      yield* other.received
      const params = { processId: "p9", bytes: 65_536 * 10 }
      other.send({ id: 3, method: "process/credit", params })
      const told = (yield* news(other)).map((text) => text.split(" ").slice(0, 4))
      const kinds = told.flatMap(([kind = ""]) => (kind === "output" || kind === "answer" ? [] : kind))
      expect(kinds).toEqual(["gap", "mark", "exited", "gap", "closed"])
    }),
  )

  it(
    "jumps to the picture with the policy screen, tells what is no output, and goes on behind it",
    effect(function* () {
      const { owner, other, child } = yield* two(
        { marks: true, tty: true },
        { limits: { retainedBytes: 65_536 }, terminals: Scroll.make().service },
      )
      yield* attach(other, { ...theirs, policy: "screen", credit: 65_536 })
      const chunk = "x".repeat(65_536)
      for (let at = 0; at < 3; at++) child.output("pty", chunk)
      child.output("pty", "\u001b]133;C\u0007")
      child.output("pty", "\r\nthe end")
      yield* owner.received
      yield* other.received
      other.send({ id: 3, method: "process/credit", params: { processId: "p9", bytes: 65_536 * 10 } })
      yield* other.received
      yield* pass(100)
      child.output("pty", " and more")
      const all = (yield* other.received).filter(({ method }) => method?.startsWith("process/"))
      const [gap, ...rest] = all.map(({ params }) => params as Record<string, unknown>)
      const { screen, from, to } = gap as { screen: { seq: number; ansi: string }; from: number; to: number }
      expect([from, screen.ansi.includes("the end")]).toEqual([2, true])
      expect(all.map(({ method }) => method)).toEqual([
        "process/gap",
        "process/mark",
        "process/gap",
        "process/output",
      ])
      expect([rest[0]?.["seq"], rest[1]?.["screen"]]).toEqual([to + 1, undefined])
      expect([rest[1]?.["to"], rest[2]?.["seq"]]).toEqual([screen.seq, screen.seq + 1])
    }),
  )

  it(
    "keeps no process alive: the retention and the end of its session are as without attachments",
    effect(function* () {
      const { owner, other, child } = yield* two()
      yield* attach(other, { ...theirs, policy: "block" })
      yield* owner.transport.close
      yield* pass(80_000)
      expect(child.kills + Number(child.released)).toBeGreaterThan(0)
    }),
  )
})

describe("what process/attach names", () => {
  it(
    "is one process, or the error says which ones there are",
    effect(function* () {
      const { owner, other, fake } = yield* two({ name: "web" })
      expect((yield* attach(other, { name: "web", as: "a" })).answer.result).toMatchObject({
        process: { session: 1, processId: "web" },
      })
      expect((yield* attach(other, { name: "nobody" })).answer).toMatchObject(
        error(-32600, "no process is named nobody"),
      )
      yield* owner.ask("process/start", start("web2", { name: "web" }))
      const second = yield* fake.next
      expect((yield* attach(other, { name: "web", as: "b" })).answer).toMatchObject(
        error(
          -32600,
          "2 processes are named web: web of session 1, web2 of session 1; name one by session and processId",
        ),
      )
      // One that runs comes before those that have ended.
      second.finish(0)
      yield* owner.received
      expect((yield* attach(other, { name: "web", as: "c" })).answer.result).toMatchObject({
        process: { processId: "web" },
      })
    }),
  )

  it(
    "is refused where the params do not name one",
    effect(function* () {
      const { other, otherId } = yield* two()
      for (const [params, code, message] of [
        [{}, -32602, "process/attach needs one of processId and name, and has none"],
        [
          { processId: "a", name: "b" },
          -32602,
          "process/attach needs one of processId and name, and has both",
        ],
        [{ processId: "a", session: 1, sessionId: "s" }, -32602, "session and sessionId exclude each other"],
        [{ processId: "web", take: true, session: 1 }, -32602, "take belongs to the role writer"],
        [
          { processId: "web", credit: 1, session: 1 },
          -32602,
          "credit must be at least 65536 bytes, which one chunk may have: 1",
        ],
        [{ processId: "web", session: 7 }, -32600, "unknown session id 7"],
        [{ processId: "web", sessionId: "no" }, -32600, "unknown session id no"],
        [{ processId: "gone", session: 1 }, -32600, "unknown process id gone"],
        [{ processId: "web" }, -32600, "unknown process id web"],
        [{ processId: "web", sessionId: otherId }, -32600, "unknown process id web"],
      ] as const)
        expect((yield* attach(other, params)).answer).toMatchObject(error(code, message))
    }),
  )
})

describe("scopes", () => {
  const needs = (what: string, scope: string, has: string) =>
    error(-32600, `${what} needs the scope ${scope}, and this connection has the scope ${has}`)
  const looking = "attaching to a process of another session"
  const writing = "writing to a process of another session"

  for (const scope of ["own", "observe", "control"] as const) {
    it(
      `${scope}: says what a client may do with other sessions, and everything with its own`,
      effect(function* () {
        const { other, sessionId } = yield* two({}, { scope })
        yield* other.ask("process/start", start("mine", { name: "mine" }))
        const [views, controls] = [scope !== "own", scope === "control"]
        expect((yield* other.ask("environment/info")).result).toMatchObject({
          capabilities: {
            processAttach: true,
            processListAll: views,
            processAttachAll: views,
            processControlAll: controls,
          },
        })
        const all = yield* other.ask("session/list", { sessions: "all" })
        expect(all.error === undefined).toBe(views)
        const viewed = (yield* attach(other, theirs)).answer
        if (views) expect(viewed.error).toBeUndefined()
        else expect(viewed).toMatchObject(needs(looking, "observe", "own"))
        const wrote = (yield* attach(other, { ...theirs, as: "w", role: "writer", take: true })).answer
        if (controls) expect(wrote.error).toBeUndefined()
        else
          expect(wrote).toMatchObject(
            views ? needs(writing, "control", scope) : needs(looking, "observe", "own"),
          )
        const stalls = (yield* attach(other, { ...theirs, as: "b", policy: "block" })).answer
        expect(stalls.error === undefined).toBe(controls)
        const kept = yield* other.ask("process/start", start("kept", { keep: true }))
        if (controls) expect(kept.error).toBeUndefined()
        else expect(kept).toMatchObject(needs("keeping a process (`keep: true`)", "control", scope))
        // A name is looked for where the client may look.
        expect(
          (yield* attach(other, { name: "mine", as: "m", role: "writer", take: true })).answer.error,
        ).toBeUndefined()
        // The id of a session gives every right there, as by a resume.
        const secret = { sessionId, processId: "web", role: "writer", take: true, policy: "block" }
        expect((yield* attach(other, { ...secret, as: "s" })).answer.result).toMatchObject({ writer: true })
      }),
    )
  }
})

describe("a process that is kept", () => {
  it(
    "stays with its session until it is removed",
    effect(function* () {
      const { owner, other, child } = yield* two({ keep: true, name: "web" })
      yield* owner.transport.close
      yield* pass(200_000)
      expect(child.kills).toBe(0)
      child.output("stdout", "hello")
      child.finish(3)
      yield* pass(200_000)
      const { answer, events } = yield* attach(other, { name: "web", as: "p9", role: "writer" })
      expect(answer.result).toMatchObject({ process: { state: "closed", exitCode: 3, kept: true } })
      expect(events).toEqual(["writer p9 true", "output p9 1 hello", "exited p9 2", "closed p9 3"])
      expect((yield* other.ask("process/terminate", { processId: "p9", remove: true })).result).toEqual({
        running: false,
      })
      yield* settle
      const left = yield* other.ask("session/list", { sessions: "all" })
      expect(left.result).toMatchObject({ sessions: [{ session: 2 }] })
      expect(yield* other.ask("process/read", { processId: "p9" })).toMatchObject(
        error(-32600, "unknown process id p9"),
      )
    }),
  )

  it(
    "is removed when it has ended, if it is removed while it runs",
    effect(function* () {
      const { owner, other, child } = yield* two({ keep: true })
      yield* attach(other, { ...theirs, role: "writer", take: true })
      other.send({ id: 5, method: "process/terminate", params: { processId: "p9", remove: true } })
      expect((yield* news(other)).sort()).toEqual(['answer {"running":true}', "closed p9 2", "exited p9 1"])
      expect(child.kills).toBe(1)
      yield* owner.received
      expect(yield* owner.ask("process/read", { processId: "web" })).toMatchObject(
        error(-32600, "unknown process id web"),
      )
      expect((yield* owner.ask("process/start", start("web"))).result).toMatchObject({ processId: "web" })
    }),
  )

  it(
    "counts against a bound, which a removal gives back",
    effect(function* () {
      const { owner, child } = yield* two({ keep: true }, { limits: { keptProcesses: 1 } })
      expect(yield* owner.ask("process/start", start("more", { keep: true }))).toMatchObject(
        error(-32600, "too many processes are kept: limit is 1 (--max-kept-processes)"),
      )
      child.finish(0)
      yield* owner.received
      yield* owner.ask("process/terminate", { processId: "web", remove: true })
      expect((yield* owner.ask("process/start", start("more", { keep: true }))).error).toBeUndefined()
    }),
  )
})

describe("a process with autoRemove", () => {
  const unknown = error(-32600, "unknown process id web")

  it(
    "is gone when its owner hears of its end, which comes with all output",
    effect(function* () {
      const { owner, child } = yield* two({ autoRemove: true })
      expect((yield* owner.ask("process/read", { processId: "web" })).error).toBeUndefined()
      yield* owner.received
      child.output("stdout", "hello")
      child.exit(3)
      yield* pass(1000)
      expect(yield* news(owner)).toEqual(["output web 1 hello", "exited web 2"])
      // A descendant still holds its output.
      expect((yield* owner.ask("process/read", { processId: "web" })).result).toMatchObject({ exited: true })
      child.end()
      expect(yield* news(owner)).toEqual(["closed web 3"])
      expect(yield* owner.ask("process/read", { processId: "web" })).toMatchObject(unknown)
      expect((yield* owner.ask("process/start", start("web"))).error).toBeUndefined()
    }),
  )

  it(
    "ends its session when it is kept and nobody has that, and is read to the end by who views it",
    effect(function* () {
      const { owner, other, child } = yield* two({ autoRemove: true, keep: true, name: "web" })
      yield* owner.transport.close
      yield* attach(other, theirs)
      yield* pass(200_000)
      child.output("stdout", "hello")
      child.finish(3)
      yield* settle
      expect(yield* news(other)).toEqual(["output p9 1 hello", "exited p9 2", "closed p9 3"])
      const left = yield* other.ask("session/list", { sessions: "all" })
      expect(left.result).toMatchObject({ sessions: [{ session: 2 }] })
      expect(yield* other.ask("process/attach", { name: "web" })).toMatchObject({ error: { code: -32600 } })
    }),
  )

  it(
    "leaves nothing behind when it has ended before its start is answered",
    effect(function* () {
      const { owner, fake } = yield* two()
      for (let at = 0; at < 3; at++) {
        owner.send({ id: 9, method: "process/start", params: start("brief", { autoRemove: true }) })
        const child = yield* fake.next
        child.finish(0)
        expect(yield* news(owner)).toEqual([
          expect.stringContaining("answer"),
          "exited brief 1",
          "closed brief 2",
        ])
      }
    }),
  )
})
