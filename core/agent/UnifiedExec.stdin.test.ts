import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { ended, make } from "./testing/Agent.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

/** The tools with one command that runs, and its session. */
const started = (tty: boolean) =>
  Effect.gen(function* () {
    const made = yield* make()
    const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", tty, yield_time_ms: 250 }))
    const child = yield* made.fake.next
    yield* pass(400)
    const { sessionId = 0 } = yield* Fiber.join(call)
    return { ...made, child, session_id: sessionId }
  })

describe("write_stdin", () => {
  it(
    "b91: brings characters to a terminal, and gives the program 100 ms before time is counted",
    effect(function* () {
      const { tools, child, session_id } = yield* started(true)
      const call = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "hé\n" }))
      yield* settle
      expect(Buffer.concat(child.writes).toString()).toBe("hé\n")
      child.output("pty", "hé\r\nhé\r\n")
      yield* pass(349)
      expect(yield* ended(call)).toBe(false)
      yield* pass(1)
      expect(yield* Fiber.join(call)).toMatchObject({
        output: "hé\nhé\n",
        wallSeconds: 0.25,
        sessionId: session_id,
      })
    }),
  )

  it(
    "waits at most 30 s behind what it wrote",
    effect(function* () {
      const { tools, session_id } = yield* started(true)
      const call = yield* Effect.forkChild(
        tools.writeStdin({ session_id, chars: "x", yield_time_ms: 100_000 }),
      )
      yield* pass(100 + 30_000)
      expect((yield* Fiber.join(call)).wallSeconds).toBe(30)
    }),
  )

  it(
    "b92: takes no text without a terminal, but interrupts",
    effect(function* () {
      const { tools, child, session_id } = yield* started(false)
      const error = yield* Effect.flip(tools.writeStdin({ session_id, chars: "text" }))
      expect(error).toMatchObject({
        reason: "StdinClosed",
        message:
          "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
      })
      const ignored = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "\u0003" }))
      yield* pass(250)
      expect(yield* Fiber.join(ignored)).toMatchObject({ sessionId: session_id, wallSeconds: 0.25 })
      const heeded = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "\u0003" }))
      yield* settle
      child.finish({ kind: "signaled", signal: 2 })
      yield* settle
      expect(yield* Fiber.join(heeded)).toMatchObject({ exitCode: 130, wallSeconds: 0 })
      expect(child.signals).toEqual(["SIGINT", "SIGINT"])
    }),
  )

  it(
    "leaves what a program does not read on its way, in order",
    effect(function* () {
      const { tools, child, session_id } = yield* started(true)
      child.stall()
      // More than the server queues.
      const chars = "x".repeat(3 * 1024 * 1024)
      const stuck = yield* Effect.forkChild(tools.writeStdin({ session_id, chars }))
      yield* pass(1_000)
      expect(yield* Fiber.join(stuck)).toMatchObject({ sessionId: session_id })
      const next = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "end" }))
      yield* settle
      child.read()
      yield* pass(1_000)
      yield* Fiber.join(next)
      expect(Buffer.concat(child.writes).toString() === `${chars}end`).toBe(true)
    }),
  )

  it(
    "fails where no input is taken, unless that is because of the exit",
    effect(function* () {
      const { client, fake } = yield* make()
      let terminate: Effect.Effect<unknown, unknown> = Effect.void
      const tools = yield* UnifiedExec.make({
        ...client,
        startSubscribed: (options) =>
          Effect.tap(client.startSubscribed(options), ({ process }) =>
            Effect.sync(() => (terminate = process.terminate)),
          ),
      })
      const begin = yield* Effect.forkChild(tools.execCommand({ cmd: "x", tty: true, yield_time_ms: 250 }))
      const child = yield* fake.next
      yield* pass(400)
      const { sessionId: session_id = 0 } = yield* Fiber.join(begin)
      // It outlives its kill, and takes no input any more.
      child.mortal = false
      yield* terminate
      const failing = yield* Effect.forkChild(Effect.flip(tools.writeStdin({ session_id, chars: "x" })))
      yield* pass(150)
      expect(yield* Fiber.join(failing)).toMatchObject({
        reason: "Write",
        message: "write_stdin failed: failed to write to stdin",
      })
      const exiting = yield* Effect.forkChild(tools.writeStdin({ session_id, chars: "x" }))
      yield* pass(100)
      child.finish(4)
      yield* settle
      expect(yield* Fiber.join(exiting)).toMatchObject({ exitCode: 4 })
    }),
  )

  it(
    "tells at once of an exit that was before",
    effect(function* () {
      const { tools, child, session_id } = yield* started(true)
      child.finish(4)
      yield* settle
      expect(yield* tools.writeStdin({ session_id, chars: "x" })).toMatchObject({
        exitCode: 4,
        wallSeconds: 0,
      })
      expect(child.writes).toEqual([])
    }),
  )
})
