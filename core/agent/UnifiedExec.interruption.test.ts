/** Tests what UnifiedExec.ts does when a call is interrupted. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { make } from "./testing/Agent.ts"

describe("Interruption of a call", () => {
  it(
    "leaves the command alone, and its output to the next call",
    effect(function* () {
      const { tools, fake } = yield* make()
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x" }))
      yield* pass(50)
      fake.children[0]?.output("stdout", "one ")
      yield* pass(1_000)
      yield* Fiber.interrupt(call)
      const [session_id = 0] = yield* tools.sessionIds
      fake.children[0]?.output("stdout", "two ")
      const poll = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      yield* pass(4_999)
      fake.children[0]?.output("stdout", "three")
      // At the very moment of the deadline.
      yield* Effect.all([Fiber.interrupt(poll), TestClock.adjust(1)], { concurrency: "unbounded" })
      const last = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      yield* pass(1)
      fake.children[0]?.finish(0)
      yield* settle
      const { output } = yield* Fiber.join(last)
      expect(output).toBe("one two three")
      expect(fake.children[0]?.kills).toBe(0)
    }),
  )

  it(
    "loses nothing, however near the end it comes",
    effect(function* () {
      const { tools, fake } = yield* make()
      const outcomes = new Set<string>()
      for (let pause = 0; pause < 60; pause += 1) {
        const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x" }))
        const child = yield* fake.next
        yield* settle
        child.output("stdout", "all")
        child.finish(0)
        for (let step = 0; step < pause; step += 1) yield* Effect.yieldNow
        yield* Fiber.interrupt(call)
        const exit = yield* Fiber.await(call)
        yield* settle
        const [session_id = 0] = yield* tools.sessionIds
        const reply = Exit.isSuccess(exit) ? exit.value : yield* tools.writeStdin({ session_id })
        expect(reply).toMatchObject({ output: "all", exitCode: 0 })
        outcomes.add(exit._tag)
      }
      expect([...outcomes]).toEqual(["Failure", "Success"])
    }),
  )
})
