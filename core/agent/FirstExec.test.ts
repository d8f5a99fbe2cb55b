import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as ExecClient from "../client/ExecClient.ts"
import type { RemoteProcess } from "../client/RemoteProcess.ts"
import * as TestServer from "../testing/TestServer.ts"
import { SpawnError } from "../spawn/SpawnError.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as FirstExec from "./FirstExec.ts"
import { ended } from "./testing/Agent.ts"

const make = (...server: Parameters<typeof TestServer.make>) =>
  Effect.gen(function* () {
    const { fake, connect } = yield* TestServer.make(...server)
    const client = yield* ExecClient.make(yield* connect)
    const started: Array<RemoteProcess> = []
    const exec = yield* FirstExec.make({
      ...client,
      startSubscribed: (options) =>
        Effect.tap(client.startSubscribed(options), ({ process }) =>
          Effect.sync(() => started.push(process)),
        ),
    })
    /** A request that gets its whole timeout. */
    const ask = (request: FirstExec.Request) =>
      Effect.gen(function* () {
        const asking = yield* Effect.forkChild(exec.request(request))
        yield* pass(Math.min(request.timeout_ms ?? 1000, 60_000))
        return yield* Fiber.join(asking)
      })
    return { fake, exec, ask, started }
  })

describe("FirstExec", () => {
  it(
    "starts an argv in a terminal of 24 by 80 with everything inherited, and numbers sessions from 0",
    effect(function* () {
      const { fake, ask } = yield* make()
      expect(yield* ask({ input_chunks: ["bash", "-i"] })).toEqual({ session_id: 0, output: "" })
      expect(yield* ask({ input_chunks: ["cat"] })).toEqual({ session_id: 1, output: "" })
      expect(fake.children[0]?.spec).toMatchObject({
        argv: ["bash", "-i"],
        env: TestServer.host.env,
        stdio: { kind: "pty", size: { rows: 24, columns: 80 } },
      })
    }),
  )

  it(
    "waits its whole time, whatever comes meanwhile, and for 1000 ms if nothing is said",
    effect(function* () {
      const { fake, exec } = yield* make()
      const call = yield* Effect.forkChild(exec.request({ input_chunks: ["x"] }))
      const child = yield* fake.next
      child.output("pty", "early ")
      yield* pass(999)
      child.output("pty", "late")
      child.finish(0)
      yield* settle
      expect(yield* ended(call)).toBe(false)
      yield* pass(1)
      // A command that has ended leaves no session.
      expect(yield* Fiber.join(call)).toEqual({ session_id: null, output: "early late" })
      expect((yield* Effect.flip(exec.request({ session_id: 0, input_chunks: [] }))).reason).toBe(
        "UnknownSession",
      )
    }),
  )

  it(
    "clamps a timeout with a warning, and still returns output",
    effect(function* () {
      const { fake, exec } = yield* make()
      const call = yield* Effect.forkChild(exec.request({ input_chunks: ["x"], timeout_ms: 120_000 }))
      ;(yield* fake.next).output("pty", "out")
      yield* pass(60_000)
      expect(yield* Fiber.join(call)).toEqual({
        session_id: 0,
        output: "Warning: requested timeout 120000ms exceeds maximum of 60000ms; clamping to 60000ms.\nout",
      })
    }),
  )

  it(
    "writes the chunks joined by a space, and nothing for a poll",
    effect(function* () {
      const { fake, ask } = yield* make()
      yield* ask({ input_chunks: ["x"], timeout_ms: 10 })
      yield* ask({ session_id: 0, input_chunks: ["echo", "a  b", "\n"], timeout_ms: 10 })
      yield* ask({ session_id: 0, input_chunks: [], timeout_ms: 10 })
      expect(fake.children[0]?.writes.map((bytes) => Buffer.from(bytes).toString())).toEqual(["echo a  b \n"])
    }),
  )

  it(
    "keeps the last 128 KiB of what nobody asks for, and drops no more than is too much",
    effect(function* () {
      const { fake, ask } = yield* make()
      yield* ask({ input_chunks: ["x"], timeout_ms: 10 })
      const child = fake.children[0]
      for (const text of ["a".repeat(100_000), "b".repeat(31_072), "ccc"]) child?.output("pty", text)
      yield* settle
      const { output } = yield* ask({ session_id: 0, input_chunks: [], timeout_ms: 10 })
      expect(output === `${"a".repeat(99_997)}${"b".repeat(31_072)}ccc`).toBe(true)
      expect(yield* ask({ session_id: 0, input_chunks: [], timeout_ms: 10 })).toMatchObject({ output: "" })
    }),
  )

  it(
    "cuts the middle out of a longer answer",
    effect(function* () {
      const { fake, exec } = yield* make()
      const call = yield* Effect.forkChild(exec.request({ input_chunks: ["x"] }))
      const child = yield* fake.next
      for (const text of ["a".repeat(70_000), "b".repeat(100_000)]) child.output("pty", text)
      yield* pass(1000)
      const { output } = yield* Fiber.join(call)
      const kept = `${"a".repeat(65_536)}…${Math.ceil((170_000 - 131_072) / 4)} tokens truncated…${"b".repeat(65_536)}`
      expect(output === kept).toBe(true)
    }),
  )

  it(
    "keeps what an interrupted request has seen, and a character that is not complete",
    effect(function* () {
      const { fake, exec, ask } = yield* make()
      yield* ask({ input_chunks: ["x"], timeout_ms: 10 })
      const child = fake.children[0]
      const call = yield* Effect.forkChild(exec.request({ session_id: 0, input_chunks: [] }))
      child?.output("pty", "seen ")
      yield* pass(500)
      yield* Fiber.interrupt(call)
      child?.output("pty", new Uint8Array([0xc3]))
      yield* settle
      expect((yield* ask({ session_id: 0, input_chunks: [], timeout_ms: 10 })).output).toBe("seen ")
      child?.output("pty", new Uint8Array([0xa9]))
      yield* settle
      expect((yield* ask({ session_id: 0, input_chunks: [], timeout_ms: 10 })).output).toBe("é")
    }),
  )

  it(
    "kills a command whose first request is interrupted, because nobody knows its id",
    effect(function* () {
      const { fake, exec } = yield* make()
      const call = yield* Effect.forkChild(exec.request({ input_chunks: ["x"] }))
      const child = yield* fake.next
      yield* pass(10)
      yield* Fiber.interrupt(call)
      yield* settle
      expect(child.kills).toBe(1)
      expect((yield* Effect.flip(exec.request({ session_id: 0, input_chunks: [] }))).reason).toBe(
        "UnknownSession",
      )
    }),
  )

  it(
    "has an error of its own for each thing that goes wrong",
    effect(function* () {
      const { fake, exec, ask, started } = yield* make({
        beforeSpawn: ({ argv }) =>
          argv[0] === "nosuch"
            ? Effect.fail(new SpawnError({ reason: "NotFound", message: "no such thing" }))
            : Effect.void,
      })
      const failing = (request: FirstExec.Request) => Effect.flip(exec.request(request))
      expect(yield* failing({ input_chunks: [] })).toMatchObject({
        reason: "MissingCommandLine",
        message: "missing command line for unified exec request",
      })
      expect(yield* failing({ input_chunks: ["nosuch"] })).toMatchObject({
        reason: "CreateSession",
        message: "Failed to create unified exec session: no such thing",
      })
      expect(yield* failing({ session_id: 7, input_chunks: [] })).toMatchObject({
        reason: "UnknownSession",
        message: "Unknown session id 7",
      })
      yield* ask({ input_chunks: ["x"], timeout_ms: 10 })
      // A child that outlives its kill takes no input any more.
      const child = fake.children[0]!
      child.mortal = false
      yield* started[0]!.terminate
      expect(yield* failing({ session_id: 0, input_chunks: ["x"] })).toMatchObject({
        reason: "WriteToStdin",
        message: "failed to write to stdin",
      })
    }),
  )

  it(
    "does not know a session that has ended, and forgets it",
    effect(function* () {
      const { fake, exec, ask } = yield* make()
      yield* ask({ input_chunks: ["x"], timeout_ms: 10 })
      fake.children[0]?.output("pty", "unread")
      fake.children[0]?.finish(0)
      yield* settle
      for (const input_chunks of [[], ["x"]]) {
        const error = yield* Effect.flip(exec.request({ session_id: 0, input_chunks }))
        expect(error.message).toBe("Unknown session id 0")
      }
    }),
  )
})
