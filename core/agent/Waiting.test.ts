/** Tests the argument `wait_for` over the real server, in virtual time. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { type Input, ProcessEvidence, type ProcessEvidenceService } from "../spawn/ProcessEvidence.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { begun, ended, make } from "./testing/Agent.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

/** The tools over a server that knows of its children what `known` says. */
const over = (known: { input?: Input } = {}, options?: UnifiedExec.Options) => {
  const evidence: ProcessEvidenceService = {
    tells: { input: true, port: true },
    input: () => Effect.sync(() => known.input ?? { kind: "no" }),
    port: (_, port) => Effect.sync(() => ({ kind: "yes", pid: 9, host: "::", port })),
  }
  return Effect.provideService(make(options), ProcessEvidence, evidence)
}

describe("wait_for", () => {
  it(
    "ends the call when the text comes, also over two chunks, with all output up to it",
    effect(function* () {
      const { call, child } = yield* begun({ wait_for: { text: "ready." } }, yield* make())
      child.output("stdout", "starting\nrea")
      yield* pass(60_000)
      child.output("stdout", "dyx ready")
      yield* pass(1_000)
      expect(yield* ended(call)).toBe(false)
      child.output("stdout", ".\nmore")
      yield* settle
      const reply = yield* Fiber.join(call)
      expect(reply).toMatchObject({
        output: "starting\nreadyx ready.\nmore",
        sessionId: expect.any(Number),
        wallSeconds: 61,
        wait: { by: "text", detail: 'found "ready."' },
      })
      expect(Reply.toText(reply)).toContain(
        `\nProcess running with session ID ${reply.sessionId}\nWait ended by text: found "ready."\nOriginal`,
      )
    }),
  )

  it(
    "ends it with silence, a port, a pattern, or the exit, and says which",
    effect(function* () {
      const made = yield* over()
      const quiet = yield* begun({ wait_for: { quiet_ms: 2_000, text: "never" } }, made)
      yield* pass(1_500)
      quiet.child.output("stdout", "a")
      yield* pass(1_999)
      expect(yield* ended(quiet.call)).toBe(false)
      yield* pass(200)
      expect(yield* Fiber.join(quiet.call)).toMatchObject({ output: "a", wait: { by: "quiet" } })
      const port = yield* begun({ wait_for: { port: 80 } }, made)
      yield* pass(500)
      expect((yield* Fiber.join(port.call)).wait).toMatchObject({ by: "port" })
      const pattern = yield* begun({ wait_for: { pattern: "^(ok|fail)$" } }, made)
      pattern.child.output("stdout", "tests:\nfail\n")
      yield* pass(500)
      expect((yield* Fiber.join(pattern.call)).wait).toMatchObject({ by: "pattern", detail: 'found "fail"' })
      const exit = yield* begun({ wait_for: { exit: true } }, made)
      exit.child.output("stdout", "bye")
      exit.child.finish(3)
      yield* pass(500)
      expect(yield* Fiber.join(exit.call)).toMatchObject({ exitCode: 3, output: "bye", wait: { by: "exit" } })
      const first = yield* begun({ wait_for: { text: "never" } }, made)
      first.child.finish(0)
      yield* pass(500)
      expect(yield* Fiber.join(first.call)).toMatchObject({ exitCode: 0, wait: { by: "ended" } })
    }),
  )

  it(
    "waits five minutes by default, as long as it is told to, and as its host allows",
    effect(function* () {
      const made = yield* make()
      const usual = yield* begun({ wait_for: { text: "never" } }, made)
      const hour = yield* begun({ wait_for: { text: "never" }, yield_time_ms: 1e9 }, made)
      const short = yield* begun({ wait_for: { text: "never" }, yield_time_ms: 20 }, made)
      yield* pass(20)
      expect((yield* Fiber.join(short.call)).wait).toEqual({
        by: "timeout",
        detail: "nothing that was waited for came in 20 ms",
      })
      yield* pass(299_980)
      expect((yield* Fiber.join(usual.call)).wallSeconds).toBe(300)
      expect(yield* ended(hour.call)).toBe(false)
      yield* pass(3_300_000)
      expect((yield* Fiber.join(hour.call)).wallSeconds).toBe(3_600)
      const host = yield* begun({ wait_for: { exit: true } }, yield* make({ longestPollMillis: 50_000 }))
      yield* pass(50_000)
      expect((yield* Fiber.join(host.call)).wait?.by).toBe("timeout")
    }),
  )

  it(
    "ends when the command asks for input and is silent, and says whether that is a password",
    effect(function* () {
      const known: { input?: Input } = {}
      const asking = { kind: "yes", pid: 9, from: "terminal", line: true } as const
      const { call, child, tools } = yield* begun({ wait_for: { exit: true }, tty: true }, yield* over(known))
      yield* pass(5_000)
      known.input = { ...asking, echo: false }
      child.output("pty", "Pass")
      yield* pass(50)
      // Its prompt is still on its way.
      child.output("pty", "word: ")
      yield* pass(5_000)
      const reply = yield* Fiber.join(call)
      expect(reply).toMatchObject({ output: "Password: ", wait: { by: "input", asks: "password" } })
      expect(Reply.toText(reply)).toContain(
        "\nAsks for: a password (its terminal does not show what is typed);",
      )

      const session_id = reply.sessionId ?? 0
      known.input = { ...asking, echo: true }
      const named = yield* Effect.forkChild(tools.writeStdin({ session_id, wait_for: { text: "name?" } }))
      yield* settle
      child.output("pty", "name?")
      yield* pass(1_000)
      expect((yield* Fiber.join(named)).wait).toMatchObject({ asks: "input" })
      const deaf = yield* Effect.forkChild(
        tools.writeStdin({ session_id, wait_for: { exit: true, input: false }, yield_time_ms: 9_000 }),
      )
      yield* pass(8_900)
      expect(yield* ended(deaf)).toBe(false)
      yield* pass(1_000)
      expect((yield* Fiber.join(deaf)).wait).toMatchObject({ by: "timeout", asks: "input" })
    }),
  )

  it(
    "counts what no reply has told yet, and behind characters only what follows them",
    effect(function* () {
      const { call, child, tools } = yield* begun({ tty: true, yield_time_ms: 250 }, yield* make())
      child.output("pty", "one ")
      yield* pass(400)
      const session_id = (yield* Fiber.join(call)).sessionId ?? 0
      child.output("pty", "two ")
      yield* settle
      const told = yield* Effect.forkChild(
        tools.writeStdin({ session_id, wait_for: { text: "one" }, yield_time_ms: 500 }),
      )
      yield* pass(500)
      expect((yield* Fiber.join(told)).wait?.by).toBe("timeout")
      child.output("pty", "three ")
      yield* settle
      expect((yield* tools.writeStdin({ session_id, wait_for: { text: "three" } })).wait?.by).toBe("text")
      child.output("pty", "four ")
      yield* settle
      const answer = yield* Effect.forkChild(
        tools.writeStdin({ session_id, chars: "\n", wait_for: { text: "four" }, yield_time_ms: 500 }),
      )
      yield* pass(500)
      expect(yield* Fiber.join(answer)).toMatchObject({ output: "four ", wait: { by: "timeout" } })
    }),
  )

  it(
    "is refused before anything is started, where the server cannot wait or the words make no sense",
    effect(function* () {
      const { client, fake } = yield* make()
      const { environmentInfo, startSubscribed } = client
      const old = { ...environmentInfo, capabilities: {} }
      const tools = yield* UnifiedExec.make({ environmentInfo: old, startSubscribed })
      const refused = (args: object) => Effect.flip(tools.call("exec_command", { cmd: "x", ...args }))
      expect(yield* refused({ wait_for: { text: "ready" } })).toMatchObject({
        reason: "Wait",
        message:
          "exec_command failed: this server cannot wait for that (it lacks the capability processWait): " +
          "call without wait_for, or with exit alone",
      })
      expect(yield* refused({ wait_for: {} })).toMatchObject({ reason: "Wait" })
      expect(yield* refused({ wait_for: { txt: "ready" } })).toMatchObject({ reason: "Arguments" })
      expect(fake.children).toEqual([])
      const call = yield* Effect.forkChild(tools.call("exec_command", { cmd: "x", wait_for: { exit: true } }))
      const child = yield* fake.next
      yield* pass(60_000)
      child.finish(4)
      yield* settle
      expect(yield* Fiber.join(call)).toMatchObject({ exitCode: 4, wait: { by: "exit" }, wallSeconds: 60 })
    }),
  )
})
