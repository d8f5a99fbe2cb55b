import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../../testing/Effects.ts"
import * as Dialects from "../Dialects.ts"
import * as ScriptedPeer from "../../testing/ScriptedPeer.ts"
import * as TestServer from "../../testing/TestServer.ts"

const spec = { argv: ["a"], cwd: "/tmp", env: {} }

/** A client of the real server over scripted children. */
const connected = Effect.gen(function* () {
  const { fake, connect } = yield* TestServer.make({}, { dialect: "v0" })
  const transport = yield* connect
  return { fake, transport, client: yield* Dialects.make(transport, { dialect: "v0" }) }
})

const textOf = (stream: Stream.Stream<Uint8Array, unknown>) =>
  Effect.map(Stream.runCollect(stream), (parts) =>
    parts.map((bytes) => new TextDecoder().decode(bytes)).join(""),
  )

describe("the client of v0", () => {
  it(
    "follows a process from its start to its exit, for everybody who listens",
    effect(function* () {
      const { fake, client } = yield* connected
      expect(client.protocolVersion).toBe("exec-server.v0")
      const process = yield* client.start(spec)
      const child = yield* fake.next
      expect([process.pid, process.hasExited(), process.exitCode()]).toEqual([child.pid, false, undefined])
      const early = yield* Effect.forkChild(textOf(process.output()))
      child.output("stdout", "out ")
      child.output("stderr", "err")
      child.finish(3)
      expect(yield* process.exited).toBe(3)
      expect([process.hasExited(), process.exitCode()]).toEqual([true, 3])
      yield* pass(100)
      expect(yield* Fiber.join(early)).toBe("out err")
      expect(yield* textOf(process.output("stderr"))).toBe("err")
      const events = yield* Stream.runCollect(process.events)
      expect(events.map(({ kind }) => kind)).toEqual(["output", "output", "exited", "closed"])
    }),
  )

  it(
    "takes output that comes a moment behind the exit",
    effect(function* () {
      const { fake, client } = yield* connected
      const process = yield* client.start(spec)
      const child = yield* fake.next
      child.exit(0)
      yield* pass(30)
      expect(process.hasExited()).toBe(true)
      child.output("stdout", "late")
      yield* pass(100)
      expect(yield* textOf(process.output())).toBe("late")
    }),
  )

  it(
    "writes to a terminal, and says why not",
    effect(function* () {
      const { fake, client } = yield* connected
      const terminal = yield* client.start({ ...spec, tty: true, processId: "tty" })
      yield* terminal.write(new TextEncoder().encode("hi"))
      yield* settle
      expect(fake.children[0]?.written).toBe("hi")
      const piped = yield* client.start({ ...spec, processId: "pipe" })
      expect(yield* Effect.flip(piped.write(Uint8Array.of(1)))).toMatchObject({
        reason: "Server",
        code: -32600,
        message: "stdin is closed for process pipe",
      })
      expect(yield* Effect.flip(client.start({ ...spec, processId: "pipe" }))).toMatchObject({
        reason: "Duplicate",
      })
      expect(yield* Effect.flip(client.start({ ...spec, argv: [] }))).toMatchObject({ code: -32602 })
    }),
  )

  it(
    "terminates: exited at once, with its code when it is told, and the id is free then",
    effect(function* () {
      const { client } = yield* connected
      const process = yield* client.start({ ...spec, processId: "p" })
      expect(yield* process.terminate).toBe(true)
      expect(process.hasExited()).toBe(true)
      expect(yield* process.exited).toBe(-1)
      expect(yield* process.terminate).toBe(false)
      const next = yield* client.start({ ...spec, processId: "p" })
      expect(next.hasExited()).toBe(false)
      expect(yield* textOf(process.output())).toBe("")
    }),
  )

  it(
    "takes the loss of the connection for an exit without a code",
    effect(function* () {
      const { fake, client, transport } = yield* connected
      const processes = [yield* client.start(spec), yield* client.start(spec)]
      fake.children[0]?.output("stdout", "x")
      yield* settle
      yield* transport.close
      expect((yield* client.disconnected).reason).toBe("Disconnected")
      for (const process of processes) {
        expect(yield* process.exited).toBe(undefined)
        expect([process.hasExited(), process.exitCode()]).toEqual([true, undefined])
        expect(yield* Effect.flip(textOf(process.output()))).toMatchObject({ reason: "Disconnected" })
        expect(yield* Effect.flip(process.write(Uint8Array.of(1)))).toMatchObject({ reason: "Disconnected" })
      }
      expect(yield* Effect.flip(client.start(spec))).toMatchObject({ reason: "Disconnected" })
      yield* settle
      expect(fake.children.map(({ released }) => released)).toEqual([true, true])
    }),
  )

  it(
    "terminates what nobody waits for any more",
    effect(function* () {
      const gate = Latch.makeUnsafe(false)
      const { fake, connect } = yield* TestServer.make({ beforeSpawn: () => gate.await }, { dialect: "v0" })
      const client = yield* Dialects.make(yield* connect, { dialect: "v0" })
      const starting = yield* Effect.forkChild(client.start(spec))
      yield* settle
      yield* Fiber.interrupt(starting)
      yield* gate.open
      yield* settle
      expect((yield* fake.next).kills).toBe(1)
      yield* Effect.scoped(client.startScoped(spec))
      yield* settle
      expect((yield* fake.next).kills).toBe(1)
    }),
  )

  it(
    "tells who comes too late what is gone",
    effect(function* () {
      const { fake, client } = yield* connected
      const process = yield* client.start(spec)
      const child = yield* fake.next
      for (let count = 0; count < 300; count++) child.output("stdout", "x")
      yield* settle
      expect(yield* Effect.flip(textOf(process.output()))).toMatchObject({
        reason: "EventsLost",
        gone: { from: 257 },
      })
    }),
  )

  it(
    "takes the answer of a server that has waited for the end, and ends where one breaks the wire",
    effect(function* () {
      const peer = yield* ScriptedPeer.make
      const making = yield* Effect.forkChild(Dialects.make(peer.transport, { dialect: "v0" }))
      const { id, params } = yield* peer.request("initialize")
      expect(params).toEqual({ clientName: "procwire" })
      peer.reply(id, { protocolVersion: "exec-server.v0" })
      expect(yield* peer.take).toMatchObject({ method: "initialized" })
      const client = yield* Fiber.join(making)
      const starting = yield* Effect.forkChild(client.start({ ...spec, processId: "p" }))
      const asked = yield* peer.request("command/exec")
      expect(asked.params).toEqual({ ...spec, processId: "p", tty: false })
      const done = { running: false, exitCode: 4, stdout: "eA==", stderr: null }
      peer.reply(asked.id, { processId: "p", pid: null, ...done })
      const process = yield* Fiber.join(starting)
      expect([process.pid, process.hasExited(), yield* process.exited]).toEqual([undefined, true, 4])
      yield* pass(100)
      expect(yield* textOf(process.output())).toBe("x")
      peer.notify("something/else", {})
      peer.notify("command/exec/exited", { processId: "p" })
      expect((yield* client.disconnected).message).toContain(
        "malformed command/exec/exited notification: missing field `exitCode`",
      )
    }),
  )
})
