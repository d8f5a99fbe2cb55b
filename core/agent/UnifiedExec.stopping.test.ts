/** Tests the arguments `timeout_ms` and `kill_on_cancel`, and the tool stop_command. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { begun, ended, make, printed } from "./testing/Agent.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

describe("timeout_ms", () => {
  it(
    "lets the server end the command, waits for that, and says so",
    effect(function* () {
      const { call, child } = yield* begun({ timeout_ms: 30_000 }, yield* make())
      child.output("stdout", "so far")
      yield* pass(29_999)
      expect(child.signals).toEqual([])
      yield* pass(1)
      expect(child.signals).toEqual(["SIGTERM", "SIGCONT"])
      yield* pass(6_000)
      const reply = yield* Fiber.join(call)
      expect(reply).toMatchObject({ exitCode: 137, output: "so far", endedBy: "timeout" })
      expect(Reply.toText(reply)).toContain("\nEnded by: its timeout_ms\n")
    }),
  )

  it.each([
    ["where the server keeps no time", {}, []],
    ["where the server knows SIGTERM", { processSignals: true }, ["SIGTERM"]],
  ])("ends it without the server's help, %s", (_, capabilities, signals) =>
    effect(function* () {
      const { client, fake } = yield* make()
      const { startSubscribed } = client
      const environmentInfo = { ...client.environmentInfo, capabilities }
      const tools = yield* UnifiedExec.make({ environmentInfo, startSubscribed })
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x", timeout_ms: 1_000 }))
      const child = yield* fake.next
      yield* pass(999)
      expect([child.signals, child.kills]).toEqual([[], 0])
      yield* pass(5_010)
      expect([child.signals, child.kills > 0]).toEqual([signals, true])
      expect(yield* Fiber.join(call)).toMatchObject({ exitCode: 137, endedBy: "timeout" })
    })(),
  )

  it(
    "of write_stdin counts from its call, and the last one holds",
    effect(function* () {
      const { call, child, tools } = yield* begun({ yield_time_ms: 250 }, yield* make())
      yield* pass(400)
      const session_id = (yield* Fiber.join(call)).sessionId ?? 0
      const first = yield* Effect.forkChild(
        tools.writeStdin({ session_id, timeout_ms: 2_000, yield_time_ms: 0 }),
      )
      yield* pass(1_000)
      yield* Fiber.join(first)
      const second = yield* Effect.forkChild(tools.writeStdin({ session_id, timeout_ms: 2_000 }))
      yield* pass(1_999)
      expect(child.signals).toEqual([])
      yield* pass(5_010)
      expect(yield* Fiber.join(second)).toMatchObject({ endedBy: "timeout", exitCode: 137 })
    }),
  )
})

describe("kill_on_cancel", () => {
  it(
    "stops the command of an interrupted call, and no other",
    effect(function* () {
      const made = yield* make()
      const kept = yield* begun({}, made)
      const killed = yield* begun({ kill_on_cancel: true, wait_for: { exit: true } }, made)
      yield* pass(1_000)
      yield* Effect.andThen(Fiber.interrupt(kept.call), Fiber.interrupt(killed.call))
      yield* pass(5_010)
      expect([kept.child.signals, kept.child.kills]).toEqual([[], 0])
      expect([killed.child.signals, killed.child.kills]).toEqual([["SIGTERM", "SIGCONT"], 1])
      const { commands } = yield* made.tools.listCommands({})
      expect(commands?.map(({ state, endedBy }) => [state, endedBy])).toEqual([
        ["running", undefined],
        ["exited", "cancel"],
      ])
      const [session_id = 0] = (yield* made.tools.sessionIds).slice(0, 1)
      const call = yield* Effect.forkChild(made.tools.writeStdin({ session_id, kill_on_cancel: true }))
      yield* settle
      yield* Fiber.interrupt(call)
      yield* settle
      expect(kept.child.signals).toEqual(["SIGTERM", "SIGCONT"])
    }),
  )
})

describe("stop_command", () => {
  it(
    "sends SIGTERM, kills after the grace, and returns the last output",
    effect(function* () {
      const made = yield* make()
      const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", yield_time_ms: 250 }))
      const child = yield* made.fake.next
      yield* pass(400)
      const { sessionId: session_id = 0 } = yield* Fiber.join(call)
      const stop = yield* Effect.forkChild(made.tools.stopCommand({ session_id, grace_ms: 2_000 }))
      yield* settle
      expect([child.signals, child.kills]).toEqual([["SIGTERM", "SIGCONT"], 0])
      child.output("stdout", "bye\n")
      yield* pass(1_900)
      expect([child.kills, yield* ended(stop)]).toEqual([0, false])
      yield* pass(200)
      const reply = yield* Fiber.join(stop)
      expect(reply).toMatchObject({ exitCode: 137, output: "bye\n", endedBy: "stop" })
      expect(Reply.toText(reply)).toContain("\nEnded by: stop_command\n")
      expect(yield* made.tools.stopCommand({ session_id })).toMatchObject({ exitCode: 137, endedBy: "stop" })
    }),
  )

  it(
    "does not wait for a call that waits, which is told of the end",
    effect(function* () {
      const made = yield* make()
      const waits = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", wait_for: { exit: true } }))
      const child = yield* made.fake.next
      yield* pass(1_000)
      const [session_id = 0] = yield* made.tools.sessionIds
      const stop = yield* Effect.forkChild(made.tools.stopCommand({ session_id }))
      yield* settle
      child.output("stdout", "bye\n")
      child.finish({ kind: "signaled", signal: 15 })
      yield* pass(100)
      expect(yield* Fiber.join(waits)).toMatchObject({ exitCode: 143, output: "bye\n", endedBy: "stop" })
      expect(yield* Fiber.join(stop)).toMatchObject({ exitCode: 143, output: "", endedBy: "stop" })
    }),
  )

  it(
    "leaves a command alone that has ended by itself",
    effect(function* () {
      const made = yield* make()
      yield* printed(made, "", 1)
      const { commands = [] } = yield* made.tools.listCommands({})
      const reply = yield* made.tools.stopCommand({ session_id: commands[0]?.sessionId ?? 0 })
      expect(reply).toMatchObject({ exitCode: 0, notices: ["The command had ended before."] })
      expect(reply).not.toHaveProperty("endedBy")
    }),
  )
})
