// Processes over the deaths of their servers: sessions, output, seqs and exits, in virtual time.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { keptMillis } from "../../protocol/Limits.ts"
import { toClient, handshake, start, type Received } from "../../server/testing/Client.ts"
import type * as Fake from "../../spawn/Fake.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import * as TestServer from "../../testing/TestServer.ts"
import * as MemoryFiles from "../history/MemoryFiles.ts"
import * as FakeKeeper from "./FakeKeeper.ts"

const make = (options: Fake.Options = {}, capacity?: Parameters<typeof FakeKeeper.make>[1]) =>
  Effect.gen(function* () {
    const { fake, server } = yield* FakeKeeper.make(options, capacity)
    const histories = MemoryFiles.make()
    /** The next server, after the death of the one before. */
    const serve = Effect.gen(function* () {
      const kept = yield* server
      const scope = yield* Scope.make()
      const { connect } = yield* Scope.provide(
        TestServer.make({}, { kept, histories, listSessions: "all" }),
        scope,
      )
      return {
        connect: Effect.map(Scope.provide(connect, scope), toClient),
        die: Effect.all([histories.leave ?? Effect.void, kept.die, Scope.close(scope, Exit.void)]),
        leave: Effect.all([histories.leave ?? Effect.void, kept.keeper.leave, Scope.close(scope, Exit.void)]),
      }
    })
    return { fake, serve, histories }
  })

/** The events of a process, with their bytes as text. */
const events = (received: ReadonlyArray<Received>) =>
  received.flatMap(({ method, params }) =>
    method === undefined || params === undefined
      ? []
      : [
          [
            method.slice(8),
            params.seq,
            ...(params.chunk === undefined ? [] : [Buffer.from(params.chunk, "base64").toString()]),
            ...(params.exitCode === undefined ? [] : [params.exitCode]),
          ].join(" "),
        ],
  )

interface Part {
  readonly chunks: ReadonlyArray<{ readonly seq: number; readonly chunk: string }>
  readonly byte: number
  readonly line: number
}

/** A session with one process, of the first server. */
const begin = (
  change: object = {},
  options: Fake.Options = {},
  capacity?: { bytes: number; chunks: number },
) =>
  Effect.gen(function* () {
    const { fake, serve, histories } = yield* make(options, capacity)
    const server = yield* serve
    const client = yield* server.connect
    const sessionId = yield* handshake(client)
    yield* client.ask("process/start", start("p", change))
    const [child] = fake.children
    if (child === undefined) return yield* Effect.die(new Error("no child"))
    /** Resumes the session on a server, behind a seq; returns what came. */
    const resume = (next: Effect.Success<typeof serve>, seq: number) =>
      Effect.gen(function* () {
        const again = yield* next.connect
        again.send({
          id: 1,
          method: "initialize",
          params: { clientName: "again", resumeSessionId: sessionId, replayAfter: { p: seq } },
        })
        const came = yield* again.received
        again.send({ method: "initialized" })
        yield* settle
        return {
          client: again,
          came: came.filter(({ id }) => id !== 1),
          answer: came.find(({ id }) => id === 1),
        }
      })
    /** The whole history, as text by seq, and where it begins. */
    const history = (of: typeof client) =>
      Effect.map(of.ask("process/history", { processId: "p" }), ({ result }) => {
        const { chunks, byte, line } = result as unknown as Part
        const texts = chunks.map(({ seq, chunk }) => `${seq} ${Buffer.from(chunk, "base64").toString()}`)
        return { byte, line, texts }
      })
    return { fake, serve, server, client, child, sessionId, resume, history, histories }
  })

describe("A process whose server has died", () => {
  it(
    "goes on under its session and its id, with every event once",
    effect(function* () {
      const { serve, server, client, child, sessionId, resume } = yield* begin()
      child.output("stdout", "one")
      child.output("stderr", "two")
      expect(events(yield* client.received)).toEqual(["output 1 one", "output 2 two"])
      yield* server.die
      child.output("stdout", "three")
      const next = yield* serve
      child.output("stdout", "four")
      const { came, answer, client: again } = yield* resume(next, 1)
      expect(answer?.result?.sessionId).toBe(sessionId)
      expect(events(came)).toEqual(["output 2 two", "output 3 three", "output 4 four"])
      const { result } = yield* again.ask("process/write", { processId: "p", chunk: "eA==", writeId: "w" })
      expect(result).toMatchObject({ status: "accepted" })
      expect(child.written).toBe("x")
      child.finish(3)
      expect(events(yield* again.received)).toEqual(["exited 5 3", "closed 6"])
    }),
  )

  it(
    "leaves its server the sessions without processes, too, until they expire",
    effect(function* () {
      const { serve, server } = yield* begin()
      const viewer = yield* handshake(yield* server.connect)
      const resumed = (next: Effect.Success<typeof serve>) =>
        Effect.gen(function* () {
          const again = yield* next.connect
          const params = { clientName: "again", resumeSessionId: viewer }
          const { result, error } = yield* again.ask("initialize", params)
          return result?.sessionId ?? error?.message
        })
      yield* server.die
      const second = yield* serve
      expect(yield* resumed(second)).toBe(viewer)
      yield* second.die
      const third = yield* serve
      yield* pass(keptMillis.detachedSession + 1)
      yield* third.die
      expect(yield* resumed(yield* serve)).toContain("unknown session id")
    }),
  )

  it(
    "gets a write once whose answer was lost with the server",
    effect(function* () {
      const { serve, server, client, child, resume } = yield* begin()
      const write = { processId: "p", chunk: "eA==", writeId: "w" }
      client.send({ id: 9, method: "process/write", params: write })
      yield* settle
      yield* server.die
      const { client: again } = yield* resume(yield* serve, 0)
      expect((yield* again.ask("process/write", write)).result).toMatchObject({ status: "accepted" })
      expect((yield* again.ask("process/write", { ...write, writeId: "v" })).result).toMatchObject({
        status: "accepted",
      })
      expect(child.written).toBe("xx")
    }),
  )

  it(
    "that exits meanwhile keeps its code, and one that was closed its seqs",
    effect(function* () {
      const { serve, server, child, resume } = yield* begin()
      child.output("stdout", "one")
      yield* server.die
      child.finish({ kind: "signaled", signal: 15 })
      const second = yield* serve
      const { came } = yield* resume(second, 0)
      const all = ["output 1 one", "exited 2 143", "closed 3"]
      expect(events(came)).toEqual(all)
      yield* second.die
      expect(events((yield* resume(yield* serve, 0)).came)).toEqual(all)
    }),
  )

  it(
    "has its exit in the place where the first server told it, before what a descendant has printed late",
    effect(function* () {
      const { serve, server, client, child, resume } = yield* begin()
      child.output("stdout", "one")
      child.exit(0)
      yield* pass(50)
      child.output("stdout", "late")
      const all = ["output 1 one", "exited 2 0", "output 3 late"]
      expect(events(yield* client.received)).toEqual(all)
      yield* server.die
      const next = yield* serve
      expect(events((yield* resume(next, 0)).came)).toEqual(all)
    }),
  )

  it.each([
    ["before what a descendant prints while no server is there", undefined],
    ["also where what came before it is gone", { bytes: 8, chunks: 1 }],
  ])("has its exit in the place where the first server told it, %s", (_, capacity) =>
    effect(function* () {
      const { serve, server, client, child, resume } = yield* begin({}, {}, capacity)
      child.output("stdout", "one")
      child.exit(0)
      yield* pass(50)
      expect(events(yield* client.received)).toEqual(["output 1 one", "exited 2 0"])
      yield* server.die
      child.output("stdout", "late")
      child.output("stdout", "later")
      const last = ["output 4 later", "closed 5"]
      const second = yield* serve
      const { client: again, came } = yield* resume(second, 3)
      child.end("stdout")
      child.end("stderr")
      expect([...events(came), ...events(yield* again.received)].slice(-2)).toEqual(last)
      yield* second.die
      expect(events((yield* resume(yield* serve, 3)).came).slice(-2)).toEqual(last)
    })(),
  )

  it(
    "is listed with all the bytes that it has printed",
    effect(function* () {
      const { serve, server, child, resume } = yield* begin({}, {}, { bytes: 8, chunks: 2 })
      for (const text of ["one", "two", "three"]) child.output("stdout", text)
      yield* server.die
      const { client } = yield* resume(yield* serve, 0)
      const { result } = yield* client.ask("process/list", {})
      expect(result).toMatchObject({ processes: [{ bytes: 11 }] })
    }),
  )

  it(
    "has the seqs of its marks again",
    effect(function* () {
      const { serve, server, client, child, resume } = yield* begin({ marks: true, tty: true })
      child.output("pty", "\x1b]133;A\x07$ \x1b]133;C\x07out")
      child.output("pty", "put")
      const before = events(yield* client.received)
      expect(before).toHaveLength(6)
      yield* server.die
      expect(events((yield* resume(yield* serve, 0)).came)).toEqual(before)
    }),
  )

  it(
    "tells of output that its keeper has lost by a seq that is missing",
    effect(function* () {
      const { serve, server, child, resume } = yield* begin({ receipt: true }, {}, { bytes: 4, chunks: 2 })
      for (const text of ["one", "two", "six", "ten"]) child.output("stdout", text)
      yield* server.die
      const next = yield* serve
      const { came, client } = yield* resume(next, 0)
      expect(events(came)).toEqual(["output 3 six", "output 4 ten"])
      child.finish(0)
      yield* settle
      const closed = (yield* client.received).at(-1)?.params as { receipt?: { streams: object } }
      expect(closed.receipt?.streams).toMatchObject({ stdout: { bytes: 12, chunks: 2, firstSeq: 3 } })
      expect(closed.receipt?.streams).not.toMatchObject({ stdout: { sha256: expect.anything() } })
    }),
  )

  it(
    "has its history since its start, in the files where the server before has written it",
    effect(function* () {
      const { serve, server, child, resume, history, histories } = yield* begin(
        { history: { maxBytes: 1 << 20 } },
        {},
        { bytes: 12, chunks: 2 },
      )
      for (const text of ["one\n", "two\n", "three\n"]) child.output("stdout", text)
      yield* pass(100)
      yield* server.die
      child.output("stdout", "four\n")
      const second = yield* serve
      const { client } = yield* resume(second, 5)
      child.output("stdout", "five\n")
      yield* client.received
      const texts = ["1 one\n", "2 two\n", "3 three\n", "4 four\n", "5 five\n"]
      expect(yield* history(client)).toEqual({ byte: 0, line: 1, texts })
      yield* second.leave
      const { client: again } = yield* resume(yield* serve, 5)
      expect((yield* history(again)).texts).toEqual(texts)
      child.finish(0)
      yield* pass(60 * 60_000)
      expect(histories.folders.size).toBe(0)
    }),
  )

  it(
    "has a history that begins behind the output of which there is neither a file nor a copy",
    effect(function* () {
      const { serve, server, child, resume, history, histories } = yield* begin(
        { history: { maxBytes: 1 << 20 } },
        {},
        { bytes: 8, chunks: 2 },
      )
      child.output("stdout", "one\n")
      yield* pass(100)
      yield* server.die
      for (const text of ["two\n", "three\n", "four\n"]) child.output("stdout", text)
      const { client } = yield* resume(yield* serve, 5)
      const { byte, texts } = yield* history(client)
      expect(texts).toEqual(["3 three\n", "4 four\n"])
      expect(byte).toBe("one\ntwo\n".length)
      expect(histories.folders.size).toBe(1)
    }),
  )

  it(
    "is listed as held, since its start, with the size of its terminal",
    effect(function* () {
      const { serve, server, client } = yield* begin({ tty: true, name: "shell", labels: { of: "me" } })
      yield* client.ask("process/resize", { processId: "p", size: { rows: 30, columns: 90 } })
      const list = (of: typeof client) => of.ask("process/list", { sessions: "all" })
      const [before] = ((yield* list(client)).result as unknown as { processes: ReadonlyArray<object> })
        .processes
      yield* pass(1000)
      yield* server.die
      const other = yield* (yield* serve).connect
      yield* handshake(other)
      const [after] = ((yield* list(other)).result as unknown as { processes: ReadonlyArray<object> })
        .processes
      expect(before).toMatchObject({ held: true, name: "shell", labels: { of: "me" } })
      expect(after).toEqual({ ...before, attached: false, session: 1 })
    }),
  )

  it(
    "ends at its deadline, which goes on",
    effect(function* () {
      const { serve, server, child } = yield* begin({ timeoutMs: 1000 })
      yield* pass(600)
      yield* server.die
      yield* pass(100)
      yield* serve
      yield* pass(299)
      expect(child.signals).toEqual([])
      yield* pass(1)
      expect(child.signals).toEqual(["SIGTERM", "SIGCONT"])
    }),
  )

  it(
    "ends with its session, when nobody resumes that",
    effect(function* () {
      const { serve, server, child } = yield* begin()
      yield* server.die
      yield* serve
      yield* pass(60 * 60_000)
      expect(child.released).toBe(true)
    }),
  )

  it(
    "was left by a server that ended, too, and is never paused without a reader",
    effect(function* () {
      const { serve, server, child, resume } = yield* begin()
      child.output("stdout", new Uint8Array(512 * 1024))
      yield* server.leave
      expect([child.released, child.paused]).toEqual([false, false])
      const { client } = yield* resume(yield* serve, 1000)
      child.finish(0)
      expect(events(yield* client.received).at(-2)).toMatch(/^exited/)
    }),
  )
})
