import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as Client from "./Client.ts"
import * as ExecClient from "./ExecClient.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"
import * as TestServer from "../testing/TestServer.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(test), TestClock.layer()))

/** A client of the real server. */
const connected = (...args: Parameters<typeof TestServer.make>) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make(...args)
    const client = yield* ExecClient.make(yield* server.connect)
    return { client, server, fake: server.fake }
  })

/** A client of a scripted peer, after the handshake. */
const scripted = Effect.gen(function* () {
  const peer = yield* ScriptedPeer.make
  const making = yield* Effect.forkChild(ExecClient.make(peer.transport))
  yield* peer.handshake
  return { peer, client: yield* Fiber.join(making) }
})

const text = (chunks: ReadonlyArray<Uint8Array>) =>
  chunks.map((bytes) => Buffer.from(bytes).toString()).join("")

describe("ExecClient", () => {
  it("runs a process through the real server from start to closed", () =>
    run(
      Effect.gen(function* () {
        const { client, fake } = yield* connected({
          script: (child) =>
            Effect.sync(() => {
              child.output("stdout", "out")
              child.output("stderr", "err")
              child.finish(3)
            }),
        })
        expect(client.sessionId).toBe("00000000-0000-4000-8000-000000000001")
        expect(client.environmentInfo.cwd).toBe("file:///srv")
        const process = yield* client.start({ argv: ["prog", "arg"], env: { A: "1" } })
        const events = yield* Stream.runCollect(process.events)
        expect(events.map(({ kind }) => kind)).toEqual(["output", "output", "exited", "closed"])
        expect(yield* process.exitCode).toBe(3)
        yield* process.closed
        expect(text(yield* Stream.runCollect(process.output("stderr")))).toBe("err")
        expect(fake.children[0]?.spec).toMatchObject({
          argv: ["prog", "arg"],
          cwd: "/srv",
          env: { A: "1", PATH: "/usr/bin:/bin", HOME: "/home/tester" },
        })
      }),
    ))

  it("writes, interrupts and terminates", () =>
    run(
      Effect.gen(function* () {
        const { client, fake } = yield* connected()
        const process = yield* client.start({ argv: ["cat"], pipeStdin: true })
        const child = yield* fake.next
        const large = new Uint8Array(600 * 1024).fill(120)
        yield* process.write(utf8.encode("hello "))
        yield* process.write(large)
        yield* process.interrupt
        expect(child.writes.map(({ length }) => length)).toEqual([6, 262144, 262144, 90112])
        expect(child.signals).toEqual(["SIGINT"])
        expect(yield* process.terminate).toBe(true)
        expect(yield* process.exitCode).toBe(137)
        expect(yield* process.terminate).toBe(false)
        const silent = yield* client.start({ argv: ["true"] })
        expect((yield* Effect.flip(silent.write(large))).reason).toBe("StdinClosed")
      }),
    ))

  it("writes for others in between, while somebody writes without a pause", () =>
    run(
      Effect.gen(function* () {
        const { client, fake } = yield* connected()
        const process = yield* client.start({ argv: ["cat"], pipeStdin: true })
        const { writes } = yield* fake.next
        yield* Effect.forkChild(Effect.repeat(process.write(utf8.encode("a")), { times: 200 }))
        while (writes.length === 0) yield* Effect.yieldNow
        const before = writes.length
        yield* process.write(utf8.encode("other"))
        expect(writes.findIndex(({ length }) => length === 5) - before).toBeLessThan(3)
      }),
    ))

  it("fails a call with the code and text of the server", () =>
    run(
      Effect.gen(function* () {
        const { client } = yield* connected()
        const error = yield* Effect.flip(client.call("process/read", { processId: "nope" }))
        expect(error).toMatchObject({ reason: "Server", code: -32600, message: "unknown process id nope" })
      }),
    ))

  it("refuses a process id that it already follows", () =>
    run(
      Effect.gen(function* () {
        const { client } = yield* connected()
        yield* client.start({ argv: ["x"], processId: "p" })
        const error = yield* Effect.flip(client.start({ argv: ["x"], processId: "p" }))
        expect(error).toMatchObject({
          reason: "Duplicate",
          message: "session already registered for process p",
        })
      }),
    ))

  it("gives up the handshake after its timeout", () =>
    run(
      Effect.gen(function* () {
        const peer = yield* ScriptedPeer.make
        const making = yield* Effect.forkChild(Effect.flip(ExecClient.make(peer.transport)))
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(making)).reason).toBe("Timeout")
      }),
    ))

  // guards: server-requests
  it("b85: ignores unknown notifications and unknown processes, and refuses requests of the server", () =>
    run(
      Effect.gen(function* () {
        const { peer, client } = yield* scripted
        peer.notify("network/policyDecision", { a: 1 })
        peer.notify("process/output", { processId: "stranger", seq: 1, stream: "stdout", chunk: "" })
        peer.send(`{"id":"q","method":"client/whatever","params":{}}`)
        expect(yield* peer.take).toEqual({
          kind: "error",
          id: "q",
          code: -32601,
          message: "exec-server client does not implement `client/whatever`",
        })
        const status = yield* Effect.forkChild(client.call("environment/status", null))
        peer.reply((yield* peer.request("environment/status")).id, { status: "ready" })
        expect(yield* Fiber.join(status)).toEqual({ status: "ready" })
      }),
    ))

  it("tells the kind of a failed start, whatever else servers say in the data of an error", () =>
    run(
      Effect.gen(function* () {
        const { peer, client } = yield* scripted
        const kindOf = (data: Json | undefined) =>
          Effect.gen(function* () {
            const starting = yield* Effect.forkChild(Effect.flip(client.start({ argv: ["x"] })))
            const { id } = yield* peer.request("process/start")
            peer.send(Message.errorText(id, -32603, "no", data))
            const { code, kind, reason } = yield* Fiber.join(starting)
            expect({ code, reason }).toEqual({ code: -32603, reason: "Server" })
            return kind
          })
        for (const kind of ["spawnNotFound", "spawnFailed", "sandboxUnavailable", "sandboxPreparation"])
          expect(yield* kindOf({ kind, more: [] })).toBe(kind)
        for (const data of [
          undefined,
          null,
          "spawnFailed",
          5,
          [],
          {},
          { kind: 5 },
          { kind: "toString" },
          { kind: "new" },
        ])
          expect(yield* kindOf(data)).toBe(undefined)
      }),
    ))

  // guards: bad-answers
  it("fails one call over a result that does not decode, and the connection over a malformed notification", () =>
    run(
      Effect.gen(function* () {
        const { peer, client } = yield* scripted
        const status = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
        peer.reply((yield* peer.request("environment/status")).id, { status: 7 })
        expect((yield* Fiber.join(status)).reason).toBe("Protocol")
        const pending = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
        yield* peer.request("environment/status")
        peer.notify("process/output", { processId: "p", seq: 1, stream: "stdout", chunk: "!" })
        const error = yield* Fiber.join(pending)
        expect(error.reason).toBe("Disconnected")
        expect((yield* client.disconnected).message).toContain("malformed process/output notification")
        expect((yield* Effect.flip(client.start({ argv: ["x"] }))).reason).toBe("Disconnected")
      }),
    ))

  it("b84: terminates a process whose start was abandoned, once it has started", () =>
    run(
      Effect.gen(function* () {
        const [spawning, gate] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]
        const { client, fake } = yield* connected({
          beforeSpawn: () => Effect.andThen(spawning.open, gate.await),
        })
        const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
        yield* spawning.await
        yield* Fiber.interrupt(starting)
        expect(fake.children).toEqual([])
        yield* gate.open
        yield* (yield* fake.next).exited
        expect(fake.children[0]?.kills).toBe(1)
      }),
    ))

  it("b82: ends every process in failed when the connection is lost, and reads a closed state from then on", () =>
    run(
      Effect.gen(function* () {
        const { peer, client } = yield* scripted
        const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
        peer.reply((yield* peer.request("process/start")).id, { processId: "p", sandboxType: "none" })
        const process = yield* Fiber.join(starting)
        peer.notify("process/output", { processId: "p", seq: 1, stream: "stdout", chunk: "aGk=" })
        const waiting = yield* Effect.forkChild(process.read({ afterSeq: 1, waitMs: 60_000 }))
        yield* peer.request("process/read")
        yield* peer.close
        const failure = "exec-server transport disconnected: the peer closed the connection"
        const madeUp = { chunks: [], exited: true, exitCode: null, closed: true, failure }
        expect(yield* Fiber.join(waiting)).toMatchObject(madeUp)
        expect(yield* process.read()).toMatchObject(madeUp)
        const events = yield* Stream.runCollect(process.events)
        expect(events.map(({ kind }) => kind)).toEqual(["output", "failed"])
        expect(yield* Effect.flip(process.exitCode)).toMatchObject({
          reason: "Disconnected",
          message: failure,
        })
        expect((yield* Effect.flip(Stream.runDrain(process.output()))).message).toBe(failure)
      }),
    ))

  it("fails a call on its way when the client is closed", () =>
    run(
      Effect.gen(function* () {
        const peer = yield* ScriptedPeer.make
        const scope = yield* Scope.make()
        const making = yield* Effect.forkChild(Scope.provide(ExecClient.make(peer.transport), scope))
        yield* peer.handshake
        const client = yield* Fiber.join(making)
        const status = yield* Effect.forkChild(Effect.flip(client.call("environment/status", null)))
        yield* peer.request("environment/status")
        yield* Scope.close(scope, Exit.void)
        expect((yield* Fiber.join(status)).message).toContain("the client was closed")
      }),
    ))

  it("takes up the processes of a session that an earlier connection has left", () =>
    run(
      Effect.gen(function* () {
        const { client, server, fake } = yield* connected()
        const scope = yield* Scope.make()
        const first = yield* Scope.provide(Effect.flatMap(server.connect, ExecClient.make), scope)
        yield* first.start({ argv: ["x"], processId: "p" })
        const child = yield* fake.next
        child.output("stdout", "one")
        yield* Scope.close(scope, Exit.void)
        child.output("stdout", "two")
        const again = yield* ExecClient.make(yield* server.connect, { resumeSessionId: first.sessionId })
        const process = yield* again.attach("p", 1)
        child.output("stdout", "three")
        child.finish()
        expect(text(yield* Stream.runCollect(process.output()))).toBe("twothree")
        expect(again.sessionId).not.toBe(client.sessionId)
      }),
    ))
})

describe("of", () => {
  it("is the client behind one in promises, and refuses what is none", () =>
    run(
      Effect.gen(function* () {
        const { client } = yield* connected()
        expect(ExecClient.of(Client.fromEffect(client, Effect.void))).toBe(client)
        const words = "ExecClient.of needs a client of procwire, whose effect is of the line 4"
        for (const effect of [{}, { disconnected: Effect.void }, { call: client.call }])
          expect(() => ExecClient.of({ effect })).toThrow(new TypeError(words))
      }),
    ))
})
