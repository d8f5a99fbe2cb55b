/** Commands with more output than is kept: what a reply keeps of it, and that no session holds up another. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import type { FakeChild } from "../spawn/Fake.ts"
import { effect, pass } from "../testing/Effects.ts"
import { make } from "../agent/testing/Agent.ts"

const block = 64 * 1024

/** Prints so many blocks, each of one letter, as fast as it may. */
const print = (child: FakeChild, blocks: number) =>
  Effect.gen(function* () {
    for (let index = 0; index < blocks; index += 1) {
      yield* child.unpaused
      child.output("stdout", new Uint8Array(block).fill(97 + (index % 26)))
      yield* Effect.yieldNow
    }
  })

describe("A chatty process", () => {
  it(
    "runs on while nobody polls, and so does its neighbour",
    effect(function* () {
      let done = false
      const { tools } = yield* make(undefined, {
        script: (child) =>
          child.spec.argv.includes("chatty")
            ? Effect.sleep("1 second").pipe(
                Effect.andThen(print(child, 160)),
                Effect.andThen(Effect.sync(() => (done = true))),
                Effect.andThen(Effect.never),
              )
            : Effect.sync(() => child.finish(7)),
      })
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "chatty", yield_time_ms: 250 }))
      yield* pass(400)
      const { sessionId: session_id = 0 } = yield* Fiber.join(call)
      yield* TestClock.adjust("1 second")
      expect(yield* tools.execCommand({ cmd: "neighbour" })).toMatchObject({ exitCode: 7 })
      while (!done) yield* Effect.yieldNow
      const poll = yield* Effect.forkChild(tools.writeStdin({ session_id, max_output_tokens: 1e6 }))
      yield* pass(5_000)
      const { output, originalTokenCount } = yield* Fiber.join(poll)
      expect(originalTokenCount).toBe((160 * block) / 4)
      expect(output).toContain(`\n... ${160 * block - 1024 * 1024} bytes omitted ...\n`)
      expect(output.length).toBeLessThan(1024 * 1024 + 50)
    }),
  )

  it(
    "loses nothing but its middle when it floods from the first moment",
    effect(function* () {
      const { tools } = yield* make(undefined, {
        script: (child) =>
          Effect.andThen(
            print(child, 100),
            Effect.sync(() => child.finish(0)),
          ),
      })
      const reply = yield* tools.execCommand({ cmd: "x", max_output_tokens: 1e6 })
      const omitted = 100 * block - 1024 * 1024
      expect(reply).toMatchObject({ exitCode: 0, originalTokenCount: (100 * block) / 4 })
      const head = Array.from({ length: 8 }, (_, index) => String.fromCharCode(97 + index).repeat(block))
      const tail = Array.from({ length: 8 }, (_, index) =>
        String.fromCharCode(97 + ((92 + index) % 26)).repeat(block),
      )
      expect(reply.output === `${head.join("")}\n... ${omitted} bytes omitted ...\n${tail.join("")}`).toBe(
        true,
      )
    }),
  )
})
