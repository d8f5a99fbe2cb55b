/** Tests ExecServer.ts: `process/list`, `session/list` and `process/changes`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { handshake, ready, start, type Client, type Received } from "./testing/Client.ts"

const list = (client: Client, params: object = {}) =>
  Effect.map(client.ask("process/list", params), (answer) => answer as unknown as Answer)
const sessions = (client: Client, params: object = {}) =>
  Effect.map(client.ask("session/list", params), (answer) => answer as unknown as Answer)

interface Answer {
  readonly result?: {
    readonly processes?: ReadonlyArray<{ readonly processId: string; readonly [name: string]: unknown }>
    readonly sessions?: ReadonlyArray<object>
    readonly nextCursor: string | null
  }
  readonly error?: object
}

const ids = ({ result }: Answer) => result?.processes?.map(({ processId }) => processId)

describe("process/list", () => {
  it(
    "tells what a process is, what it is called and how far it has come",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* pass(5000)
      const names = { name: "web", labels: { tier: "front", empty: "" } }
      const size = { rows: 10, columns: 20 }
      const tty = { tty: true, terminalSize: size, cwd: "file:///srv/a%20b", ...names }
      yield* client.ask("process/start", start("p", { argv: ["sh", "-c", "x"], ...tty }))
      const child = yield* fake.next
      const row = {
        processId: "p",
        session: 1,
        attached: true,
        ...names,
        argv: ["sh", "-c", "x"],
        cwd: "file:///srv/a%20b",
        pid: 1000,
        tty: true,
        terminalSize: size,
        startedAtMs: 5000,
        state: "running",
        exitCode: null,
        bytes: 0,
        nextSeq: 1,
      }
      expect((yield* list(client)).result).toEqual({ processes: [row], nextCursor: null })
      yield* client.ask("process/resize", { processId: "p", rows: 5, columns: 7 })
      child.output("pty", "hello")
      child.exit(3)
      yield* pass(1000)
      yield* client.received
      const exited = { endedAtMs: 5000, state: "exited", exitCode: 3, bytes: 5, nextSeq: 3 }
      const later = { ...row, terminalSize: { rows: 5, columns: 7 }, ...exited }
      expect((yield* list(client)).result?.processes).toEqual([later])
      child.end()
      yield* client.received
      expect((yield* list(client)).result?.processes).toEqual([{ ...later, state: "closed", nextSeq: 4 }])
      yield* pass(30_000)
      expect((yield* list(client)).result).toEqual({ processes: [], nextCursor: null })
    }),
  )

  it(
    "tells of a process that is starting, and of none whose start has failed",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { client } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
      client.send({ id: 1, method: "process/start", params: start("p") })
      yield* settle
      const { result } = yield* list(client)
      expect(result?.processes).toMatchObject([
        { processId: "p", state: "starting", pid: null, labels: {}, tty: false, exitCode: null },
      ])
      expect(result?.processes?.[0]).not.toHaveProperty("name")
      client.send({ id: 2, method: "process/terminate", params: { processId: "p" } })
      yield* client.received
      expect(ids(yield* list(client))).toEqual([])
    }),
  )

  it(
    "filters by name, labels and states, which all have to hold",
    effect(function* () {
      const { client, fake } = yield* ready()
      const started: ReadonlyArray<readonly [string, object]> = [
        ["a", { name: "x", labels: { k: "1", l: "2" } }],
        ["b", { name: "x", labels: { k: "1" } }],
        ["c", { name: "y", labels: { k: "1", toString: "z" } }],
        ["d", {}],
      ]
      for (const [id, names] of started) yield* client.ask("process/start", start(id, names))
      fake.children[1]?.finish(0)
      yield* client.received
      const found = (params: object) => Effect.map(list(client, params), ids)
      expect(yield* found({ name: "x" })).toEqual(["a", "b"])
      expect(yield* found({ labels: { k: "1" } })).toEqual(["a", "b", "c"])
      expect(yield* found({ labels: { k: "1", l: "2" } })).toEqual(["a"])
      expect(yield* found({ labels: { toString: "z" } })).toEqual(["c"])
      expect(yield* found({ labels: { valueOf: "z" } })).toEqual([])
      expect(yield* found({ states: ["running"], name: "x" })).toEqual(["a"])
      expect(yield* found({ states: ["starting", "closed"] })).toEqual(["b"])
      expect(yield* found({ states: [] })).toEqual([])
      expect(yield* found({ name: null, labels: {}, states: null })).toEqual(["a", "b", "c", "d"])
    }),
  )

  it(
    "gives pages, and begins behind a process that is forgotten meanwhile",
    effect(function* () {
      const { client, fake } = yield* ready({}, { retentionMillis: 0 })
      for (const id of ["a", "b", "c", "d", "e"]) yield* client.ask("process/start", start(id))
      const first = yield* list(client, { limit: 2 })
      expect(ids(first)).toEqual(["a", "b"])
      fake.children[1]?.finish(0)
      yield* pass(1)
      yield* client.received
      const second = yield* list(client, { limit: 2, cursor: first.result?.nextCursor })
      expect(ids(second)).toEqual(["c", "d"])
      const third = yield* list(client, { limit: 2, cursor: second.result?.nextCursor })
      expect([ids(third), third.result?.nextCursor]).toEqual([["e"], null])
      expect(ids(yield* list(client, { limit: 1_000_000 }))).toEqual(["a", "c", "d", "e"])
    }),
  )

  it(
    "refuses a cursor that no page had, and a limit of 0",
    effect(function* () {
      const { client } = yield* ready()
      for (const cursor of ["", "1", "1.x", "-1.0", "1.2.3", "9".repeat(20)]) {
        expect(yield* list(client, { cursor })).toMatchObject({
          error: {
            code: -32602,
            message: `cursor must be the nextCursor of a page: ${JSON.stringify(cursor)}`,
          },
        })
      }
      expect(yield* list(client, { limit: 0 })).toMatchObject({ error: { code: -32602 } })
      expect(yield* list(client, { states: ["dead"] })).toMatchObject({ error: { code: -32602 } })
    }),
  )

  it(
    "refuses a name or labels beyond their bounds, and starts nothing",
    effect(function* () {
      const { client, fake } = yield* ready()
      const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ""]))
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ name: "" }, "name must have from 1 to 256 characters: it has 0"],
        [{ name: "n".repeat(257) }, "name must have from 1 to 256 characters: it has 257"],
        [{ labels: { "": "x" } }, "the key of a label must have from 1 to 256 characters: it has 0"],
        [{ labels: { k: "v".repeat(1025) } }, "the label k must have at most 1024 characters: it has 1025"],
        [{ labels: many }, "labels has 65 members: the limit is 64"],
      ]
      for (const [names, message] of wrong) {
        const answer = yield* client.ask("process/start", start("p", names))
        expect(answer.error).toEqual({ code: -32602, message })
      }
      expect(fake.children).toEqual([])
      expect(ids(yield* list(client))).toEqual([])
    }),
  )
})

describe("the lists of all sessions", () => {
  it(
    "are refused where the server does not allow them",
    effect(function* () {
      const { client, connect } = yield* ready()
      const other = yield* connect
      yield* handshake(other)
      yield* other.ask("process/start", start("secret"))
      const message =
        "this server shows every client its own session alone (it was not started with --list-sessions all)"
      for (const ask of [list, sessions])
        expect((yield* ask(client, { sessions: "all" })).error).toEqual({ code: -32602, message })
      expect(ids(yield* list(client, { sessions: "own" }))).toEqual([])
      expect((yield* sessions(client)).result?.sessions).toEqual([
        { session: 1, own: true, attached: true, openedAtMs: 0, processes: 0 },
      ])
    }),
  )

  it(
    "show every session by its number, never by its id, and whether a connection has it",
    effect(function* () {
      const { client, connect, sessionId } = yield* ready({}, { listSessions: "all" })
      yield* pass(1000)
      const other = yield* connect
      const secret = yield* handshake(other)
      yield* other.ask("process/start", start("p"))
      yield* client.ask("process/start", start("p", { name: "mine" }))
      yield* other.transport.close
      yield* settle
      const all = { sessions: "all" }
      const found = [yield* sessions(client, all), yield* list(client, all)]
      expect(found.map(({ result }) => result?.sessions ?? result?.processes)).toMatchObject([
        [
          { session: 1, own: true, attached: true, openedAtMs: 0, processes: 1 },
          { session: 2, own: false, attached: false, openedAtMs: 1000, processes: 1 },
        ],
        [
          { session: 1, processId: "p", attached: true, name: "mine" },
          { session: 2, processId: "p", attached: false },
        ],
      ])
      for (const id of [sessionId, secret]) expect(JSON.stringify(found)).not.toContain(id)
      const first = yield* sessions(client, { ...all, limit: 1 })
      const second = yield* sessions(client, { ...all, limit: 1, cursor: first.result?.nextCursor })
      expect([first, second].map(({ result }) => result?.sessions)).toMatchObject([
        [{ session: 1 }],
        [{ session: 2 }],
      ])
      expect(second.result?.nextCursor).toBeNull()
    }),
  )

  it(
    "are announced by a capability of their own",
    effect(function* () {
      for (const listSessions of ["own", "all"] as const) {
        const { client } = yield* ready({}, { listSessions })
        const answer = yield* client.ask("environment/info")
        const capabilities = { processList: true, processListAll: listSessions === "all" }
        expect(answer.result).toMatchObject({ capabilities })
      }
    }),
  )
})

describe("process/changes", () => {
  const changes = (client: Client, params: object = {}) => client.ask("process/changes", params)
  const kinds = ({ result: { changes: told = [] } = {} }: Received) =>
    told.map(({ seq, kind, process: { processId, state } }) => `${seq} ${kind} ${processId} ${state}`)

  it(
    "tells starts, restarts, exits and removals in order, from the first question on",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* client.ask("process/start", start("before"))
      yield* fake.next
      expect((yield* changes(client)).result).toEqual({ changes: [], nextSeq: 1 })
      yield* client.ask("process/start", start("p", { restart: { policy: "no" } }))
      const child = yield* fake.next
      client.send({ id: 9, method: "process/restart", params: { processId: "p" } })
      yield* settle
      child.finish(0)
      ;(yield* fake.next).finish(3)
      yield* client.received
      yield* client.ask("process/start", start("brief", { autoRemove: true }))
      ;(yield* fake.next).finish(0)
      yield* client.received
      yield* pass(30_000)
      expect(kinds(yield* changes(client, { afterSeq: 0 }))).toEqual([
        "1 started p running",
        "2 restarted p running",
        "3 exited p exited",
        "4 started brief running",
        "5 exited brief exited",
        "6 removed brief closed",
        "7 removed p closed",
      ])
      expect(kinds(yield* changes(client, { afterSeq: 6 }))).toEqual(["7 removed p closed"])
    }),
  )

  it(
    "waits for a change of the own session, and tells of all where that is allowed",
    effect(function* () {
      const { client, connect } = yield* ready({}, { scope: "control" })
      yield* changes(client)
      const other = yield* connect
      yield* handshake(other)
      client.send({ id: 8, method: "process/changes", params: { afterSeq: 0, waitMs: 1000 } })
      client.send({
        id: 9,
        method: "process/changes",
        params: { afterSeq: 0, waitMs: 1000, sessions: "all" },
      })
      yield* settle
      yield* other.ask("process/start", start("theirs"))
      const [told, ...more] = yield* client.received
      expect([told?.id, more.length]).toEqual([9, 0])
      expect(kinds(told as Received)).toEqual(["1 started theirs running"])
      yield* pass(1000)
      expect(yield* client.received).toMatchObject([{ id: 8, result: { changes: [], nextSeq: 2 } }])
      yield* client.ask("process/start", start("mine"))
      expect(kinds(yield* changes(client, { afterSeq: 0 }))).toEqual(["2 started mine running"])
    }),
  )

  it(
    "says that changes are missed which are no longer kept, and pages those that are",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* changes(client)
      for (let at = 0; at < 335; at++) {
        yield* client.ask("process/start", start("p", { autoRemove: true }))
        ;(yield* fake.next).finish(0)
        yield* client.received
      }
      const missed = { changes: [], nextSeq: 1006, missed: true }
      expect((yield* changes(client, { afterSeq: 0 })).result).toEqual(missed)
      expect((yield* changes(client, { afterSeq: 4 })).result).toEqual(missed)
      expect((yield* changes(client, { afterSeq: 1006 })).result).toEqual(missed)
      const seqs: Array<number> = []
      for (let nextSeq = 6; nextSeq < 1006;) {
        const { result } = yield* changes(client, { afterSeq: nextSeq - 1 })
        const { changes: told = [], nextSeq: next = Infinity } = result ?? {}
        nextSeq = next
        seqs.push(...told.map(({ seq }) => seq))
      }
      expect(seqs).toEqual(Array.from({ length: 1000 }, (_, at) => at + 6))
    }),
  )
})
