import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { quietMillis } from "../process/Process.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { ended, make } from "./testing/Agent.ts"

describe("UnifiedExec", () => {
  it(
    "b87: a quick command answers with its exit, without a session and at once",
    effect(function* () {
      const { tools } = yield* make(undefined, {
        script: (child) =>
          Effect.sync(() => {
            child.output("stdout", "out\n")
            child.output("stderr", "err\n")
            child.finish(3)
          }),
      })
      const reply = yield* tools.execCommand({ cmd: "x" })
      expect(Reply.toText(reply)).toBe(
        `Chunk ID: ${reply.chunkId}\nWall time: 0.0000 seconds\nProcess exited with code 3\n` +
          "Original token count: 2\nOutput:\nout\nerr\n",
      )
      expect(reply.chunkId).toMatch(/^[0-9a-f]{6}$/)
      expect(reply).not.toHaveProperty("sessionId")
      expect(yield* tools.sessionIds).toEqual([])
    }),
  )

  it.each([
    ["b88: a yield time of 1 is 250 ms", 1, 250],
    ["b89: a yield time of 100000 is 30 s", 100_000, 30_000],
    ["without a yield time it is 10 s", undefined, 10_000],
  ])("%s, behind 150 ms for an early exit", (_, asked, millis) =>
    effect(function* () {
      const { tools, fake } = yield* make()
      const call = yield* Effect.forkChild(
        tools.execCommand({ cmd: "sleep 60", ...(asked === undefined ? {} : { yield_time_ms: asked }) }),
      )
      yield* pass(150 + millis - 1)
      fake.children[0]?.output("stdout", "so far")
      expect(yield* ended(call)).toBe(false)
      yield* pass(1)
      const reply = yield* Fiber.join(call)
      expect(reply).toMatchObject({
        wallSeconds: millis / 1000,
        output: "so far",
        sessionId: expect.any(Number),
      })
      expect(Reply.toText(reply)).toContain(`\nProcess running with session ID ${reply.sessionId}\n`)
      expect(yield* tools.sessionIds).toEqual([reply.sessionId])
    })(),
  )

  it(
    "counts time from the early exit that did not come, and returns at the exit",
    effect(function* () {
      const { tools, fake } = yield* make()
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x" }))
      yield* pass(150 + 777)
      fake.children[0]?.finish(9)
      yield* settle
      expect(yield* Fiber.join(call)).toMatchObject({ wallSeconds: 0.777, exitCode: 9 })
    }),
  )

  it(
    "b90: a poll of a silent session takes 5 s, and less when it ends",
    effect(function* () {
      const { tools, fake } = yield* make()
      const started = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      yield* pass(400)
      const session_id = (yield* Fiber.join(started)).sessionId ?? 0
      const silent = yield* Effect.forkChild(tools.writeStdin({ session_id, yield_time_ms: 100 }))
      yield* pass(4_999)
      fake.children[0]?.output("stdout", "does not end it")
      expect(yield* ended(silent)).toBe(false)
      yield* pass(1)
      expect(yield* Fiber.join(silent)).toMatchObject({
        wallSeconds: 5,
        output: "does not end it",
        sessionId: session_id,
      })

      const ending = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "", yield_time_ms: 100 }))
      yield* pass(1_320)
      fake.children[0]?.finish(0)
      yield* settle
      expect(yield* Fiber.join(ending)).toMatchObject({ wallSeconds: 1.32, exitCode: 0, output: "" })
    }),
  )

  it.each([
    ["300 s", undefined, 300_000],
    ["what its host says", 60_000, 60_000],
  ])("a poll takes at most %s", (_, longestPollMillis, millis) =>
    effect(function* () {
      const { tools } = yield* make(longestPollMillis === undefined ? {} : { longestPollMillis })
      const started = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      yield* pass(400)
      const session_id = (yield* Fiber.join(started)).sessionId ?? 0
      const poll = yield* Effect.forkChild(tools.writeStdin({ session_id, yield_time_ms: 1e9 }))
      yield* pass(millis)
      expect((yield* Fiber.join(poll)).wallSeconds).toBe(millis / 1000)
    })(),
  )

  it(
    "b93: a collected session is unknown",
    effect(function* () {
      const { tools, fake } = yield* make()
      const started = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      yield* pass(400)
      const session_id = (yield* Fiber.join(started)).sessionId ?? 0
      fake.children[0]?.finish({ kind: "signaled", signal: 9 })
      yield* settle
      expect(yield* tools.writeStdin({ session_id })).toMatchObject({ exitCode: 137, wallSeconds: 0 })
      const error = yield* Effect.flip(tools.writeStdin({ session_id }))
      expect(error).toMatchObject({
        reason: "UnknownSession",
        message: `write_stdin failed: Unknown process id ${session_id}`,
      })
    }),
  )

  it(
    "leaves a character whose bytes are not all there to the next reply, and the last reply replaces it",
    effect(function* () {
      const { tools, fake } = yield* make()
      const started = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      const child = yield* fake.next
      child.output("stdout", new Uint8Array([0x61, 0xc3]))
      yield* pass(400)
      const { sessionId: session_id = 0, output } = yield* Fiber.join(started)
      expect(output).toBe("a")
      const poll = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      child.output("stdout", new Uint8Array([0xa9, 0xc3]))
      yield* pass(5_000)
      expect((yield* Fiber.join(poll)).output).toBe("é")
      child.finish(0)
      yield* settle
      expect((yield* tools.writeStdin({ session_id })).output).toBe("\ufffd")
    }),
  )

  it(
    "b97: who has exited is waited for 50 ms more, while a descendant holds its output",
    effect(function* () {
      const { tools, fake } = yield* make()
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x" }))
      const child = yield* fake.next
      child.output("stdout", "parent\n")
      child.exit(0)
      yield* pass(2 * quietMillis) // until then the server holds the exit back
      yield* pass(49)
      child.output("stdout", "late\n")
      expect(yield* ended(call)).toBe(false)
      yield* pass(1)
      const reply = yield* Fiber.join(call)
      expect(reply).toMatchObject({
        exitCode: 0,
        wallSeconds: 0.05,
        output: "parent\nlate\n",
        notices: [
          expect.stringMatching(/^The command has exited, but a process that it left in the background/),
        ],
      })
      expect(Reply.toText(reply)).toContain(`\nNotice: ${reply.notices?.[0]}\nOutput:\nparent\nlate\n`)
      // The descendant goes on until its output ends, or until everything does.
      expect(child.kills).toBe(0)
    }),
  )

  it(
    "waits no longer for a descendant than its yield time has left",
    effect(function* () {
      const { tools, fake } = yield* make()
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      yield* pass(150 + 240 - 2 * quietMillis)
      fake.children[0]?.exit(0)
      yield* pass(2 * quietMillis + 9)
      expect(yield* ended(call)).toBe(false)
      yield* pass(1)
      expect(yield* Fiber.join(call)).toMatchObject({ exitCode: 0, wallSeconds: 0.25 })
    }),
  )

  it(
    "answers calls on one session one after the other",
    effect(function* () {
      const { tools, fake } = yield* make()
      const started = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      yield* pass(400)
      const session_id = (yield* Fiber.join(started)).sessionId ?? 0
      const first = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      yield* settle
      const second = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      const third = yield* Effect.forkChild(Effect.flip(tools.writeStdin({ session_id })))
      fake.children[0]?.output("stdout", "1")
      yield* pass(5_000)
      expect(yield* Fiber.join(first)).toMatchObject({ output: "1", wallSeconds: 5 })
      expect(yield* ended(second)).toBe(false)
      fake.children[0]?.output("stdout", "2")
      yield* pass(3_000)
      fake.children[0]?.finish(0)
      yield* settle
      expect(yield* Fiber.join(second)).toMatchObject({ output: "2", wallSeconds: 3, exitCode: 0 })
      expect((yield* Fiber.join(third)).reason).toBe("UnknownSession")
    }),
  )

  it(
    "tells of output as it comes",
    effect(function* () {
      const { tools, fake } = yield* make()
      const seen: Array<unknown> = []
      const call = yield* Effect.forkChild(
        tools.execCommand(
          { cmd: "x" },
          {
            onSession: (id) => seen.push(id),
            onOutput: ({ text }) => {
              seen.push(text)
              throw new Error("a watcher's own trouble")
            },
          },
        ),
      )
      const child = yield* fake.next
      child.output("stdout", "a")
      yield* settle
      child.output("stdout", new Uint8Array([0xc3]))
      child.output("stdout", new Uint8Array([0xa9]))
      yield* pass(1_000)
      child.output("stdout", "b")
      yield* settle
      const [id] = yield* tools.sessionIds
      expect(seen).toEqual([id, "a", "é", "b"])
      child.finish(0)
      yield* settle
      expect((yield* Fiber.join(call)).output).toBe("aéb")
    }),
  )
})
