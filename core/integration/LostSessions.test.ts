/** The tools of core/agent when the connection of their client is lost. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { connected } from "../testing/NetworkClient.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "../agent/Reply.ts"
import { unwatched } from "../agent/testing/Agent.ts"
import * as UnifiedExec from "../agent/UnifiedExec.ts"

/** One command that runs, over a network that fails on request. */
const started = Effect.gen(function* () {
  const made = yield* connected({}, {}, { limits: { retainedBytes: 1000 } })
  const tools = yield* UnifiedExec.make(unwatched(made.client))
  const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x", yield_time_ms: 30_000 }))
  const child = yield* made.fake.next
  yield* pass(200)
  child.output("stdout", "one ")
  yield* settle
  return { ...made, tools, call, child }
})

describe("A lost connection", () => {
  it(
    "that is replaced is not noticed",
    effect(function* () {
      const { call, child, network } = yield* started
      yield* network.cut
      child.output("stdout", "two ")
      yield* pass(3_000)
      child.output("stdout", "three")
      child.finish(0)
      yield* settle
      expect(yield* Fiber.join(call)).toMatchObject({ output: "one two three", exitCode: 0 })
    }),
  )

  it(
    "with output that is gone is told, with what came before and what range is missing",
    effect(function* () {
      const { tools, call, child, network } = yield* started
      yield* network.cut
      for (let count = 0; count < 10; count += 1) child.output("stdout", "x".repeat(500))
      yield* pass(3_000)
      const reply = yield* Fiber.join(call)
      const failure = expect.stringMatching(
        /^failed to recover process \d+-[0-9a-f]{6}: .*\(2 to \d+ are gone\)$/,
      )
      expect(reply).toMatchObject({ output: "one ", failure })
      expect(Reply.toText(reply)).toContain(`\nProcess lost: ${reply.failure}\n`)
      expect(yield* tools.sessionIds).toEqual([])
      expect(child.kills).toBe(1)
    }),
  )

  it(
    "that is not replaced ends the session, and refuses commands",
    effect(function* () {
      const { tools, call, network } = yield* started
      network.reachable = false
      yield* network.cut
      yield* pass(30_000)
      const failure = expect.stringMatching(/^exec-server transport disconnected: /)
      expect(yield* Fiber.join(call)).toMatchObject({ output: "one ", failure })
      const error = yield* Effect.flip(tools.execCommand({ cmd: "x" }))
      expect(error).toMatchObject({ reason: "Create" })
      expect(error.message).toContain("exec-server transport disconnected")
    }),
  )
})
