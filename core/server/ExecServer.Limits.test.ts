/** Tests ExecServer.ts: limits of connections, sessions, processes and starts. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { gone } from "../process/testing/Registry.ts"
import type { SpawnSpec } from "../spawn/Spawner.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { error, handshake, make, ready, start } from "./testing/Client.ts"

const refused = (text: string) => error(-32600, text)

describe("ExecServer limits", () => {
  it(
    "refuses one connection too many with the reason, opens no session for it, and frees the place of one that ends",
    effect(function* () {
      const { connect } = yield* make({}, { limits: { connections: 2, sessions: 2 } })
      const [first] = [yield* connect, yield* connect]
      const third = yield* connect
      expect(yield* third.received).toEqual([
        { id: -1, ...refused("too many connections: limit is 2 (--max-connections)") },
      ])
      expect(yield* third.ended).toBe(true)
      yield* first.transport.close
      yield* settle
      const fourth = yield* connect
      expect(yield* handshake(fourth)).not.toBe("")
      expect(yield* fourth.ended).toBe(false)
    }),
  )

  it(
    "refuses one session too many, lets the connection try again, and counts detached sessions",
    effect(function* () {
      const { connect, client } = yield* ready({}, { limits: { sessions: 1 }, detachedMillis: 1000 })
      const other = yield* connect
      const ask = other.ask("initialize", { clientName: "x" })
      const text = "too many sessions: limit is 1 (--max-sessions)"
      expect(yield* ask).toMatchObject(refused(text))
      yield* client.transport.close
      yield* pass(999)
      expect(yield* ask).toMatchObject(refused(text))
      yield* pass(1)
      expect((yield* ask).result?.sessionId).toBeDefined()
    }),
  )

  it(
    "refuses one process too many of a session, and of all, until one is closed; its id stays free",
    effect(function* () {
      const { connect, client, fake } = yield* ready({}, { limits: { sessionProcesses: 2, processes: 3 } })
      for (const id of ["a", "b"]) yield* client.ask("process/start", start(id))
      const mine = "too many processes in this session: limit is 2 (--max-session-processes)"
      expect(yield* client.ask("process/start", start("c"))).toMatchObject(refused(mine))
      expect(yield* client.ask("process/start", start("a"))).toMatchObject(
        refused("process a already exists"),
      )
      const other = yield* connect
      yield* handshake(other)
      yield* other.ask("process/start", start("a"))
      const all = "too many processes: limit is 3 (--max-processes)"
      expect(yield* other.ask("process/start", start("b"))).toMatchObject(refused(all))
      expect(fake.children.length).toBe(3)
      fake.children[0]?.finish()
      yield* client.received
      expect((yield* client.ask("process/start", start("c"))).result).toBeDefined()
    }),
  )

  it(
    "does not count failed starts, nor the processes of a session that has ended",
    effect(function* () {
      const beforeSpawn = ({ argv }: SpawnSpec) => (argv[0] === "bad" ? Effect.fail(gone) : Effect.void)
      const server = { limits: { processes: 1 }, detachedMillis: 100 }
      const { connect, client } = yield* ready({ beforeSpawn }, server)
      for (const id of ["p", "q"]) {
        const answer = yield* client.ask("process/start", start(id, { argv: ["bad"] }))
        expect(answer).toMatchObject(error(-32603, gone.message))
      }
      expect((yield* client.ask("process/start", start("p"))).result).toBeDefined()
      yield* client.transport.close
      yield* pass(100)
      const next = yield* connect
      yield* handshake(next)
      expect((yield* next.ask("process/start", start("q"))).result).toBeDefined()
    }),
  )

  it(
    "refuses starts that come too fast, and takes them again as time passes",
    effect(function* () {
      const { client } = yield* ready({}, { limits: { startsPerSecond: 1, startBurst: 2 } })
      const answers = []
      for (const id of ["a", "b", "c"]) answers.push(yield* client.ask("process/start", start(id)))
      expect(answers.map((answer) => answer.error?.message)).toEqual([
        undefined,
        undefined,
        "too many starts per second: limit is 1 (--max-starts-per-second)",
      ])
      yield* pass(1000)
      expect((yield* client.ask("process/start", start("c"))).result).toBeDefined()
    }),
  )

  it(
    "refuses writes that exceed the stdin queue of a process that does not read, and no write to another process",
    effect(function* () {
      const { client, fake } = yield* ready({}, { limits: { stdinBytes: 6 } })
      for (const id of ["a", "b"]) yield* client.ask("process/start", start(id))
      for (const child of fake.children) child.stall()
      const write = (processId: string, writeId: string) =>
        client.ask("process/write", { processId, writeId, chunk: "AAAA" })
      const text = "too much waits for stdin: limit is 6 bytes (--max-stdin-bytes)"
      for (const id of ["1", "2"]) expect((yield* write("a", id)).error).toBeUndefined()
      for (const id of ["3", "3"]) expect(yield* write("a", id)).toMatchObject(refused(text))
      expect((yield* write("a", "2")).error).toBeUndefined()
      expect((yield* write("b", "1")).error).toBeUndefined()
      fake.children[0]?.read()
      yield* settle
      expect((yield* write("a", "3")).error).toBeUndefined()
      expect(fake.children.map(({ writes }) => writes.length)).toEqual([3, 0])
      fake.children[0]?.stall()
      const long = { processId: "a", writeId: "long", chunk: "AAAAAAAAAAAAAAAA" }
      expect((yield* client.ask("process/write", long)).error).toBeUndefined()
    }),
  )

  it(
    "refuses messages that are too deep or have too many values, and names the limit",
    effect(function* () {
      const { client } = yield* ready({}, { limits: { jsonDepth: 8, jsonValues: 64 } })
      const nested = (levels: number) => ({ id: 1, method: "environment/status", pad: deep(levels - 1) })
      const texts = []
      for (const message of [nested(8), nested(9), { id: 1, method: "x", pad: Array(61).fill(0) }]) {
        client.send(message)
        texts.push((yield* client.received)[0]?.error?.message)
      }
      const label = "failed to parse JSON-RPC message from memory right: "
      expect(texts[0]).toBeUndefined()
      expect(texts[1]).toContain(`${label}recursion limit exceeded: limit is 8 (--max-json-depth) at line 1`)
      expect(texts[2]).toContain(`${label}JSON-RPC message exceeds the limit of 64 JSON values at line 1`)
      client.send({ id: 1, method: "x", pad: Array(59).fill(0) })
      expect(yield* client.received).toMatchObject([{ error: { code: -32601 } }])
    }),
  )
})

const deep = (levels: number): unknown => (levels === 0 ? 0 : [deep(levels - 1)])
