import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as TestServer from "../client/testing/TestServer.ts"
import type * as Fake from "../spawn/Fake.ts"
import { SpawnError } from "../spawn/SpawnError.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import type { Transport } from "../transport/Transport.ts"

type Sent = { readonly [key: string]: unknown }

/** A message as a test looks at it. */
interface Received {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly processId?: string; readonly seq?: number; readonly chunk?: string; readonly exitCode?: number }
  readonly result?: { readonly sessionId?: string; readonly chunks?: ReadonlyArray<{ readonly seq: number }>; readonly nextSeq?: number; readonly running?: boolean }
  readonly error?: { readonly code: number; readonly message: string }
}

interface Client {
  readonly transport: Transport
  readonly send: (...messages: ReadonlyArray<Sent>) => void
  /** What has arrived by now. */
  readonly received: Effect.Effect<ReadonlyArray<Received>>
  /** The answer to one request; fails if anything else comes. */
  readonly ask: (method: string, params?: unknown) => Effect.Effect<Received>
  /** True if the server has ended the connection. */
  readonly ended: Effect.Effect<boolean>
}

const toClient = (transport: Transport): Client => {
  let id = 100
  const send = (...messages: ReadonlyArray<Sent>) => {
    for (const message of messages) transport.write(JSON.stringify(message))
  }
  const received = Effect.gen(function* () {
    yield* settle
    const found: Array<Received> = []
    for (;;) {
      const size = yield* transport.incoming.size
      if (size._tag === "None" || size.value === 0) return found
      for (const text of Chunk.toReadonlyArray((yield* transport.incoming.takeAll)[0])) found.push(JSON.parse(text) as Received)
      yield* settle
    }
  }).pipe(Effect.orDie)
  const ask = (method: string, params?: unknown) =>
    Effect.gen(function* () {
      id += 1
      send({ id, method, params })
      const [answer, ...more] = yield* received
      if (answer?.id !== id || more.length > 0) return yield* Effect.dieMessage(`${method}: ${JSON.stringify([answer, ...more])}`)
      return answer
    })
  const ended = Effect.map(Effect.zipRight(settle, transport.incoming.size), ({ _tag }) => _tag === "None")
  return { transport, send, received, ask, ended }
}

const start = (processId: string, change: object = {}) => ({
  processId, argv: ["a"], cwd: "file:///tmp", env: {}, tty: false, pipeStdin: true, ...change,
})

const make = (options: Fake.Options = {}, server: Parameters<typeof TestServer.make>[1] = {}) =>
  Effect.map(TestServer.make(options, server), ({ fake, connect }) => ({ fake, connect: Effect.map(connect, toClient) }))

/** A connection behind its handshake. */
const handshake = (client: Client, resumeSessionId?: string) =>
  Effect.gen(function* () {
    const { result } = yield* client.ask("initialize", { clientName: "test", resumeSessionId })
    client.send({ method: "initialized" })
    yield* settle
    return result?.sessionId ?? ""
  })

const ready = (options: Fake.Options = {}, server: Parameters<typeof TestServer.make>[1] = {}) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* make(options, server)
    const client = yield* connect
    return { fake, connect, client, sessionId: yield* handshake(client) }
  })

const error = (code: number, message: string) => ({ error: { code, message } })
const event = ({ method, params }: Received) => `${method?.slice(8)} ${params?.seq}`
const gone = new SpawnError({ reason: "NotFound", message: "No such file or directory (os error 2)" })

describe("ExecServer handshake", () => {
  it("answers initialize with a session and what the host is, without jsonrpc", effect(function* () {
    const client = yield* (yield* make()).connect
    const answer = yield* client.ask("initialize", { clientName: "" })
    expect(answer).toMatchObject({ result: { sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, environmentInfo: { shell: { name: "sh" }, cwd: "file:///work", platformOs: "linux" } } })
    expect(answer).not.toHaveProperty("jsonrpc")
  }))

  it.each([
    [undefined, "invalid type: null, expected struct InitializeParams"],
    [null, "invalid type: null, expected struct InitializeParams"],
    [{}, "missing field `clientName`"],
    [{ clientName: 5 }, "invalid type: number, expected a string (field `clientName`)"],
  ])("refuses initialize with %j and takes a second one", (params, message) =>
    effect(function* () {
      const client = yield* (yield* make()).connect
      expect(yield* client.ask("initialize", params)).toMatchObject(error(-32602, message))
      expect(yield* client.ask("initialize", { clientName: "x", resumeSessionId: "nope" })).toMatchObject(error(-32600, "unknown session id nope"))
      expect(yield* client.ask("initialize", { clientName: "x", resumeSessionId: "" })).toMatchObject(error(-32600, "unknown session id "))
      expect((yield* client.ask("initialize", { clientName: "x" })).result).toBeDefined()
      expect(yield* client.ask("initialize", { clientName: "x" })).toMatchObject(error(-32600, "initialize may only be sent once per connection"))
    })())

  it("decodes params before it looks at the state", effect(function* () {
    const client = yield* (yield* make()).connect
    expect(yield* client.ask("process/read", {})).toMatchObject(error(-32602, "missing field `processId`"))
  }))

  const requests = [
    ["process/start", start("p"), "exec"],
    ["process/read", { processId: "p" }, "exec"],
    ["process/write", { processId: "p", chunk: "", writeId: "w" }, "exec"],
    ["process/write", { processId: "p", chunk: "", writeId: "" }, "exec"],
    ["process/signal", { processId: "p", signal: "interrupt" }, "exec"],
    ["process/terminate", { processId: "p" }, "exec"],
    ["environment/info", null, "environment info"],
    ["environment/status", {}, "environment status"],
  ] as const

  it.each(requests)("lets %s wait for the handshake", (method, params, family) =>
    effect(function* () {
      const { connect, fake } = yield* make()
      const client = yield* connect
      expect(yield* client.ask(method, params)).toMatchObject(error(-32600, `client must call initialize before using ${family} methods`))
      yield* client.ask("initialize", { clientName: "x" })
      expect(yield* client.ask(method, params)).toMatchObject(error(-32600, `client must send initialized before using ${family} methods`))
      expect(fake.children).toEqual([])
      expect(yield* client.ended).toBe(false)
    })())

  it("knows no other method, before the handshake and after", effect(function* () {
    const client = yield* (yield* make()).connect
    for (const method of ["nope/method", "process/list", "command/exec", "initialized", "process/output"]) {
      expect(yield* client.ask(method)).toMatchObject(error(-32601, `exec-server stub does not implement \`${method}\` yet`))
    }
    yield* handshake(client)
    expect(yield* client.ask("initialized")).toMatchObject({ error: { code: -32601 } })
  }))

  it("takes initialized again and with any params", effect(function* () {
    const { client } = yield* ready()
    client.send({ method: "initialized", params: [1] }, { method: "initialized", params: { a: 1 } })
    expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
  }))

  it.each([1, 4])("takes the whole handshake and a start in one write, with %i requests at once", (concurrentRequests) =>
    effect(function* () {
      const { connect } = yield* make({}, { concurrentRequests })
      const client = yield* connect
      client.send({ id: 1, method: "initialize", params: { clientName: "x" } }, { method: "initialized" }, { id: 2, method: "process/start", params: start("p") })
      expect((yield* client.received).map(({ id, error }) => [id, error])).toEqual([[1, undefined], [2, undefined]])
    })())

  it("takes a whole resumption in one write", effect(function* () {
    const { connect, client, sessionId } = yield* ready()
    yield* client.ask("process/start", start("p"))
    yield* client.transport.close
    yield* settle
    const next = yield* connect
    next.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } }, { method: "initialized" }, { id: 2, method: "process/read", params: { processId: "p" } })
    expect(yield* next.received).toMatchObject([{ id: 1, result: { sessionId } }, { id: 2, result: { nextSeq: 1 } }])
  }))

  it.each([
    [{ method: "initialized" }],
    [{ method: "bogus" }],
    [{ method: "process/read", params: { processId: "p" } }],
    [{ method: "initialize", params: { clientName: "x" } }],
    [{ id: 5, result: {} }],
    [{ id: 5, error: { code: 1, message: "x" } }],
  ])("ends a fresh connection without a word after %j", (message) =>
    effect(function* () {
      const client = yield* (yield* make()).connect
      client.send(message, { id: 1, method: "environment/status" })
      expect(yield* client.received).toEqual([])
      expect(yield* client.ended).toBe(true)
    })())

  it("does not take initialized behind an initialize that failed", effect(function* () {
    const client = yield* (yield* make()).connect
    client.send({ id: 1, method: "initialize" }, { method: "initialized" })
    expect(yield* client.ended).toBe(false)
    yield* client.received
    expect(yield* client.ended).toBe(true)
  }))
})

describe("ExecServer sessions", () => {
  it("detaches at a disconnect: children run on, nothing that was pushed comes again", effect(function* () {
    const { connect, client, sessionId, fake } = yield* ready()
    yield* client.ask("process/start", start("p"))
    const child = yield* fake.next
    child.output("stdout", "1")
    expect((yield* client.received).map(event)).toEqual(["output 1"])
    yield* client.transport.close
    yield* settle
    child.output("stdout", "2")
    child.output("stdout", "3")
    const next = yield* connect
    expect((yield* next.ask("initialize", { clientName: "other", resumeSessionId: sessionId })).result?.sessionId).toBe(sessionId)
    child.output("stdout", "4")
    expect((yield* next.received).map(event)).toEqual(["output 4"])
    expect(yield* next.ask("process/read", { processId: "p" })).toMatchObject({ error: { code: -32600 } })
    next.send({ method: "initialized" })
    const { result } = yield* next.ask("process/read", { processId: "p", afterSeq: 1 })
    expect(result?.chunks?.map(({ seq }) => seq)).toEqual([2, 3, 4])
    child.finish()
    expect((yield* next.received).map(event)).toEqual(["exited 5", "closed 6"])
  }))

  it("refuses a session that is attached with -32010", effect(function* () {
    const { connect, sessionId } = yield* ready()
    const other = yield* connect
    expect(yield* other.ask("initialize", { clientName: "x", resumeSessionId: sessionId })).toMatchObject(
      error(-32010, `session ${sessionId} is already attached to another connection`),
    )
    expect(yield* handshake(other)).not.toBe(sessionId)
  }))

  it("lets one of two racing resumptions win", effect(function* () {
    const { connect, client, sessionId } = yield* ready()
    yield* client.transport.close
    yield* settle
    const others = [yield* connect, yield* connect]
    for (const other of others) other.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
    const codes = (yield* Effect.all(others.map((other) => other.received))).map(([answer]) => answer?.error?.code)
    expect(codes).toEqual([undefined, -32010])
  }))

  it("can be resumed after a connection that went in the middle of its resumption", effect(function* () {
    const { connect, client, sessionId } = yield* ready()
    yield* client.transport.close
    for (let yields = 0; yields < 12; yields++) {
      const hasty = yield* connect
      hasty.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
      yield* Effect.repeatN(Effect.yieldNow(), yields)
      yield* hasty.transport.close
      yield* settle
    }
    expect(yield* handshake(yield* connect, sessionId)).toBe(sessionId)
  }))

  it("can be resumed after a violation, and while a read is in flight", effect(function* () {
    const { connect, client, sessionId } = yield* ready()
    yield* client.ask("process/start", start("p"))
    client.send({ id: 1, method: "process/read", params: { processId: "p", waitMs: 100_000 } }, { method: "bogus" })
    expect(yield* client.received).toEqual([])
    expect(yield* handshake(yield* connect, sessionId)).toBe(sessionId)
  }))

  it("remembers write ids across a resumption", effect(function* () {
    const { connect, client, sessionId, fake } = yield* ready()
    yield* client.ask("process/start", start("p"))
    const write = { processId: "p", chunk: "eA==", writeId: "w" }
    yield* client.ask("process/write", write)
    yield* client.transport.close
    yield* settle
    const next = yield* connect
    yield* handshake(next, sessionId)
    yield* next.ask("process/write", write)
    expect(fake.children[0]?.written).toBe("x")
  }))

  it("kills the children of a detached session after 80 seconds", effect(function* () {
    const { connect, client, sessionId, fake } = yield* ready()
    yield* client.ask("process/start", start("p"))
    yield* client.transport.close
    yield* pass(79_999)
    expect(fake.children[0]?.released).toBe(false)
    yield* pass(1)
    expect(fake.children[0]?.released).toBe(true)
    expect(yield* (yield* connect).ask("initialize", { clientName: "x", resumeSessionId: sessionId })).toMatchObject(error(-32600, `unknown session id ${sessionId}`))
  }))

  it("invariant 9: closing the server kills every child at once, whether anybody is attached or not", effect(function* () {
    for (const attached of [true, false]) {
      const scope = yield* Scope.make()
      const { connect, fake } = yield* Scope.extend(make(), scope)
      const client = yield* connect
      yield* handshake(client)
      yield* client.ask("process/start", start("p"))
      if (!attached) yield* client.transport.close
      yield* settle
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* settle
      expect((yield* closing.status)._tag).toBe("Done")
      expect(fake.children[0]?.released).toBe(true)
    }
  }))

  it("shows no process to another session", effect(function* () {
    const { connect, client } = yield* ready()
    yield* client.ask("process/start", start("p"))
    const other = yield* connect
    yield* handshake(other)
    expect(yield* other.ask("process/read", { processId: "p" })).toMatchObject(error(-32600, "unknown process id p"))
    expect((yield* other.ask("process/start", start("p"))).error).toBeUndefined()
  }))
})

describe("ExecServer processes", () => {
  it("invariant 2: answers a start before that process's notifications, even if the child wrote before it came to be", effect(function* () {
    const { client } = yield* ready({
      script: (child) => Effect.sync(() => {
        child.output("stdout", "hi\n")
        child.output("stderr", "err\n")
        child.finish(3)
      }),
    })
    client.send({ id: 1, method: "process/start", params: start("p") })
    expect(yield* client.received).toEqual([
      { id: 1, result: { processId: "p", sandboxType: "none" } },
      { method: "process/output", params: { processId: "p", seq: 1, stream: "stdout", chunk: "aGkK" } },
      { method: "process/output", params: { processId: "p", seq: 2, stream: "stderr", chunk: "ZXJyCg==" } },
      { method: "process/exited", params: { processId: "p", seq: 3, exitCode: 3, sandboxDenied: false } },
      { method: "process/closed", params: { processId: "p", seq: 4 } },
    ])
    expect(yield* client.ask("process/read", { processId: "p" })).toMatchObject({
      result: { nextSeq: 5, exited: true, exitCode: 3, closed: true, failure: null, sandboxDenied: false },
    })
  }))

  it("loses nothing of a child that writes megabytes before its start is answered", effect(function* () {
    const { client } = yield* ready({
      script: (child) => Effect.sync(() => {
        for (let index = 0; index < 60; index++) child.output("stdout", new Uint8Array(64 * 1024))
        child.finish(0)
      }),
    })
    client.send({ id: 1, method: "process/start", params: start("p") })
    const messages = yield* client.received
    expect(messages.length).toBe(63)
    expect(messages[0]).toMatchObject({ id: 1 })
    expect(messages.slice(1).map(({ params }) => params?.seq)).toEqual(Array.from({ length: 62 }, (_, index) => index + 1))
  }))

  it("frees an id whose spawn failed, and notifies nothing", effect(function* () {
    let refuse = true
    const { client } = yield* ready({ beforeSpawn: () => (refuse ? Effect.fail(gone) : Effect.void) })
    expect(yield* client.ask("process/start", start("p"))).toMatchObject(error(-32603, "No such file or directory (os error 2)"))
    refuse = false
    expect((yield* client.ask("process/start", start("p"))).error).toBeUndefined()
  }))

  it("checks the directory, then the sandbox, then argv, then the id", effect(function* () {
    const { client } = yield* ready()
    yield* client.ask("process/start", start("p"))
    const refusal = (change: object) => Effect.map(client.ask("process/start", start("p", change)), ({ error }) => `${error?.code} ${error?.message}`)
    expect(yield* refusal({ argv: [], cwd: "tmp" })).toBe("-32602 invalid URI: relative URL without a base")
    expect(yield* refusal({ argv: [], cwd: "file:///C:/x" })).toBe("-32602 cwd URI `file:///C:/x` is not valid on this exec-server host: 'file:///C:/x' is invalid on 'linux'")
    expect(yield* refusal({ argv: [] })).toBe("-32602 argv must not be empty")
    expect(yield* refusal({})).toBe("-32600 process p already exists")
  }))

  it("takes a native path for the directory and ids of any kind", effect(function* () {
    const { client, fake } = yield* ready()
    for (const id of ["", 'a"b\né', "x".repeat(5000)]) {
      expect(yield* client.ask("process/start", start(id, { cwd: "/tmp/../usr/" }))).toMatchObject({ result: { processId: id } })
      expect(yield* client.ask("process/start", start(id))).toMatchObject(error(-32600, `process ${id} already exists`))
    }
    expect(fake.children[0]?.spec.cwd).toBe("/usr")
  }))

  it("refuses an empty writeId before it looks at the process", effect(function* () {
    const { client } = yield* ready()
    expect(yield* client.ask("process/write", { processId: "nope", chunk: "", writeId: "" })).toMatchObject(error(-32602, "writeId must not be empty"))
    expect(yield* client.ask("process/write", { processId: "nope", chunk: "" })).toMatchObject({ result: { status: "unknownProcess" } })
  }))

  it("fails a write behind terminate", effect(function* () {
    const { client, fake } = yield* ready()
    yield* client.ask("process/start", start("p"))
    const child = yield* fake.next
    child.mortal = false
    expect(yield* client.ask("process/terminate", { processId: "p" })).toMatchObject({ result: { running: true } })
    expect(yield* client.ask("process/write", { processId: "p", chunk: "", writeId: "w" })).toMatchObject(error(-32603, "failed to write to process stdin"))
  }))

  it("runs a pipeline on one id in its order, with one request at a time and with many", effect(function* () {
    for (const concurrentRequests of [1, 1024]) {
      const gate = yield* Deferred.make<void>()
      const { client, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) }, { concurrentRequests })
      client.send({ id: 0, method: "process/start", params: start("p") })
      for (let id = 1; id <= 5; id++) {
        client.send({ id, method: "process/write", params: { processId: "p", chunk: btoa(`${id}`), writeId: `${id}` } })
      }
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      expect((yield* client.received).map(({ id, error }) => [id, error])).toEqual([0, 1, 2, 3, 4, 5].map((id) => [id, undefined]))
      expect(fake.children[0]?.written).toBe("12345")
    }
  }))

  it("cancels a start by terminate", effect(function* () {
    const { client } = yield* ready({ beforeSpawn: () => Effect.never })
    client.send({ id: 1, method: "process/start", params: start("p") }, { id: 2, method: "process/terminate", params: { processId: "p" } })
    expect(yield* client.received).toEqual([
      { id: 2, result: { running: true } },
      { id: 1, error: { code: -32600, message: "process p start was cancelled" } },
    ].map((answer) => expect.objectContaining(answer) as object))
  }))

  it("finishes a start whose connection is gone, and pushes it to the next one", effect(function* () {
    const gate = yield* Deferred.make<void>()
    const { client, connect, sessionId, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
    client.send({ id: 1, method: "process/start", params: start("p") })
    yield* settle
    yield* client.transport.close
    yield* settle
    const next = yield* connect
    yield* handshake(next, sessionId)
    yield* Deferred.succeed(gate, undefined)
    const child = yield* fake.next
    child.output("stdout", "x")
    child.finish()
    expect((yield* next.received).map(event)).toEqual(["output 1", "exited 2", "closed 3"])
    expect(yield* next.ask("process/start", start("p"))).toMatchObject(error(-32600, "process p already exists"))
  }))

  it("stalls no child that was started by a client that is gone", effect(function* () {
    const gate = yield* Deferred.make<void>()
    const { client, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
    client.send({ id: 1, method: "process/start", params: start("p") })
    yield* settle
    yield* client.transport.close
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    const child = yield* fake.next
    yield* settle
    for (let index = 0; index < 100; index++) child.output("stdout", new Uint8Array(64 * 1024))
    expect(child.paused).toBe(false)
  }))
})

/** Prints as a child does that blocks while nobody reads; answers how much of it went. */
const flood = (child: Fake.FakeChild, chunks: number) =>
  Effect.gen(function* () {
    let printed = 0
    while (printed < chunks && !child.paused) {
      child.output("stdout", new Uint8Array(64 * 1024).fill(printed))
      printed += 1
      if (printed % 16 === 0) yield* Effect.yieldNow()
    }
    return printed
  })

const startFlood = (server: { readonly client: Client; readonly fake: Fake.Fake }, id: string) =>
  Effect.gen(function* () {
    yield* server.client.ask("process/start", start(id))
    return yield* server.fake.next
  })

describe("ExecServer back-pressure", () => {
  it("invariant 4: while a client is attached nothing is lost, and the child is paused instead", effect(function* () {
    const server = yield* ready()
    const child = yield* startFlood(server, "p")
    let printed = yield* flood(child, 1_000_000)
    expect(printed).toBeLessThan(600)
    const seqs: Array<number | undefined> = []
    while (printed < 2000) {
      for (const { params } of yield* server.client.received) seqs.push(params?.seq)
      printed += yield* flood(child, 2000 - printed)
    }
    child.finish()
    for (const { params } of yield* server.client.received) seqs.push(params?.seq)
    expect(seqs).toEqual(Array.from({ length: 2002 }, (_, index) => index + 1))
  }), 60_000)

  it("invariant 4: when nobody is attached the ring evicts and the child never blocks", effect(function* () {
    const server = yield* ready()
    const child = yield* startFlood(server, "p")
    yield* flood(child, 1_000_000)
    expect(child.paused).toBe(true)
    yield* server.client.transport.close
    yield* settle
    expect(child.paused).toBe(false)
    expect(yield* flood(child, 1000)).toBe(1000)
    const next = yield* server.connect
    yield* handshake(next, server.sessionId)
    expect((yield* next.ask("process/read", { processId: "p" })).result?.chunks?.length).toBe(16)
  }), 60_000)

  it("touches no other connection with the slowness of one", effect(function* () {
    const server = yield* ready()
    const slow = yield* startFlood(server, "p")
    const client = yield* server.connect
    yield* handshake(client)
    const quick = yield* startFlood({ client, fake: server.fake }, "p")
    yield* flood(slow, 1_000_000)
    expect(slow.paused).toBe(true)
    let received = 0
    for (let round = 0; round < 20; round++) {
      expect(yield* flood(quick, 32)).toBe(32)
      received += (yield* client.received).length
    }
    expect(received).toBe(640)
    expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
  }), 60_000)

  it("takes turns between the processes of one connection", effect(function* () {
    const server = yield* ready()
    const [a, b] = [yield* startFlood(server, "a"), yield* startFlood(server, "b")]
    yield* flood(a, 1_000_000)
    yield* flood(b, 1_000_000)
    const order = (yield* server.client.received).map(({ params }) => params?.processId)
    const turn = order.indexOf("b")
    expect(turn).toBeGreaterThan(0)
    expect(order.slice(turn, turn + 6)).toEqual(["b", "a", "b", "a", "b", "a"].slice(0, 6))
  }), 60_000)
})
