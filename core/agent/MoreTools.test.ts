/** Tests read_output and list_commands, and what the calls of today return beside them. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestRandom from "effect/Random"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Commands from "./Commands.ts"
import * as Reply from "./Reply.ts"
import { make, printed } from "./testing/Agent.ts"
import * as Tools from "./Tools.ts"

const many = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}\n`).join("")

/** A reply without what gets its rest. */
const without = (reply: Reply.Reply) =>
  Object.fromEntries(Object.entries(reply).filter(([name]) => name !== "rest"))

describe("The calls of today", () => {
  it(
    "return the same bytes whatever other tools there are, and only what was cut is followed by a text of its own",
    effect(function* () {
      const replies = (tools: Tools.Offer) =>
        Effect.gen(function* () {
          const made = yield* make({ tools, text: "raw" })
          const all: Array<Reply.Reply> = [
            yield* printed(made, "short\n", 100),
            yield* printed(made, many, 50),
          ]
          const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "cat", tty: true }))
          const child = yield* made.fake.next
          yield* pass(11_000)
          all.push(yield* Fiber.join(call))
          const { sessionId: session_id = 0 } = all[2] ?? {}
          const write = yield* Effect.forkChild(
            made.tools.call("write_stdin", { session_id, chars: "a\n", max_output_tokens: 1 }),
          )
          yield* settle
          child.output("pty", "a\r\na\r\n")
          yield* pass(1_000)
          all.push(yield* Fiber.join(write))
          child.finish(0)
          yield* settle
          all.push(yield* made.tools.call("write_stdin", { session_id }))
          return all
        }).pipe(TestRandom.withSeed("calls"))
      const [codex, all] = [yield* replies("codex"), yield* replies("all")]
      expect(all.map(Reply.toText)).toEqual(codex.map(Reply.toText))
      expect(all.map((reply) => without(reply))).toEqual(codex)
      expect(codex.map((reply) => Reply.toTexts(reply).length)).toEqual([1, 1, 1, 1, 1])
      expect(all.map((reply) => Reply.toTexts(reply).length)).toEqual([1, 2, 1, 2, 1])
    }),
  )

  it(
    "with the tools of Codex have its arguments alone, and know no other tool",
    effect(function* () {
      const names = (offer: Tools.Offer) =>
        Tools.toolDefinitions(offer).map(({ name, inputSchema }) => [
          name,
          Object.keys(Object(inputSchema["properties"])),
        ])
      const exec = ["cmd", "workdir", "shell", "login", "tty", "yield_time_ms", "max_output_tokens"]
      const write = ["session_id", "chars", "yield_time_ms", "max_output_tokens"]
      expect(names("codex")).toEqual([
        ["exec_command", exec],
        ["write_stdin", write],
      ])
      const more = ["wait_for", "timeout_ms", "kill_on_cancel"]
      expect(names("all").slice(0, 2)).toEqual([
        ["exec_command", [...exec, ...more]],
        ["write_stdin", [...write, ...more]],
      ])
      expect(JSON.stringify(Tools.toolDefinitions())).not.toMatch(/\$ref|\$schema|\$defs|\$id/)
      const { tools, fake } = yield* make({ tools: "codex" })
      expect(tools.definitions).toEqual(Tools.toolDefinitions("codex"))
      expect(yield* Effect.flip(tools.call("list_commands", {}))).toMatchObject({ reason: "UnknownTool" })
      const call = yield* Effect.forkChild(tools.call("exec_command", { cmd: "x", timeout_ms: 1 }))
      const child = yield* fake.next
      yield* pass(11_000)
      expect(yield* Fiber.join(call)).not.toHaveProperty("wait")
      expect(child.signals).toEqual([])
    }),
  )
})

describe("read_output", () => {
  it(
    "gets the rest by the very call that the reply names, of running commands and of ended ones",
    effect(function* () {
      const made = yield* make()
      const reply = yield* printed(made, many, 100)
      const texts = Reply.toTexts(reply)
      expect(texts[0]).toBe(Reply.toText(reply))
      const [, name = "", args = ""] = /call (\w+) (\{.*\})$/.exec(texts[1] ?? "") ?? []
      const rest = yield* made.tools.call(name, args)
      const [head = "", tail = ""] = reply.output.split(/…\d+ tokens truncated…/)
      expect(head.split("\n\n")[1] + rest.output + tail).toBe(many)
      expect(rest).toMatchObject({ exitCode: 0, excerpt: { lines: 3_000 } })
      expect(Reply.toText(rest)).toMatch(
        /^Lines 2\d to \d+ of 3000 \(bytes \d+ to \d+ of \d+\)\nProcess exited/,
      )

      const call = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", max_output_tokens: 5 }))
      const child = yield* made.fake.next
      child.output("stdout", "é".repeat(50))
      yield* pass(11_000)
      const first = yield* Fiber.join(call)
      child.output("stdout", "next")
      const got = yield* made.tools.call("read_output", first.rest?.call?.arguments)
      expect(got).toMatchObject({ output: "é".repeat(40), sessionId: first.sessionId })
      // It takes nothing from the next reply.
      const { sessionId: session_id = 0 } = first
      const next = yield* Effect.forkChild(made.tools.writeStdin({ session_id, max_output_tokens: 0 }))
      yield* pass(5_000)
      const { rest: again } = yield* Fiber.join(next)
      expect((yield* made.tools.call("read_output", again?.call?.arguments)).output).toBe("next")
    }),
  )

  it(
    "gets what the reply had to drop in the middle, and bytes that are no text",
    effect(function* () {
      const made = yield* make()
      const reply = yield* printed(made, "0123456789\n".repeat(200_000), 1e6)
      expect(reply.output).toContain("bytes omitted ...")
      const { arguments: args } = reply.rest?.call ?? {}
      const { from_byte: from = 0, to_byte: to = 0 } = Object(args)
      const rest = yield* made.tools.call("read_output", { ...args, max_output_tokens: 1e6 })
      expect(rest.output).toBe("0123456789\n".repeat(200_000).slice(from, to))
      const bytes = yield* Effect.forkChild(made.tools.execCommand({ cmd: "x", max_output_tokens: 10 }))
      const child = yield* made.fake.next
      child.output("stdout", new Uint8Array(300).fill(0xff))
      child.finish(0)
      yield* settle
      expect((yield* Fiber.join(bytes)).rest?.call?.arguments).toMatchObject({ from_byte: 6, to_byte: 294 })
    }),
  )

  it(
    "names the commands that are known to who asks for another",
    effect(function* () {
      const { tools } = yield* make()
      expect(yield* Effect.flip(tools.readOutput({ session_id: 5 }))).toMatchObject({
        reason: "UnknownSession",
        message: "read_output failed: Unknown session ID 5. No command is known.",
      })
      expect(yield* Effect.flip(tools.stopCommand({ session_id: 5 }))).toMatchObject({
        reason: "UnknownSession",
      })
    }),
  )

  it(
    "keeps the output of the last commands within a bound for all",
    effect(function* () {
      const made = yield* make({ outputBytes: 70_000 })
      const block = "x".repeat(60_000)
      for (let count = 0; count < 12; count += 1) yield* printed(made, block, 1)
      const { commands = [] } = yield* made.tools.listCommands({})
      expect(commands.length).toBe(9)
      const { commands: running } = yield* made.tools.listCommands({ running: true })
      expect(running).toEqual([])
      for (let count = 0; count < Commands.mostEnded + 10; count += 1) yield* printed(made, "", 1)
      expect((yield* made.tools.listCommands({})).commands?.length).toBe(Commands.mostEnded + 1)
    }),
  )
})

describe("list_commands", () => {
  it(
    "tells states, times and output, and what is new since the last reply",
    effect(function* () {
      const made = yield* make()
      expect((yield* made.tools.listCommands({})).output).toBe("No commands.")
      const done = yield* printed(made, "a\nb\n", 100)
      const call = yield* Effect.forkChild(
        made.tools.execCommand({ cmd: "npm run dev", tty: true, yield_time_ms: 250 }),
      )
      const child = yield* made.fake.next
      yield* pass(2_000)
      child.output("pty", "x\r\n")
      yield* settle
      const { sessionId } = yield* Fiber.join(call)
      const reply = yield* made.tools.listCommands({})
      const [first] = reply.commands ?? []
      expect(Reply.toText(reply)).toBe(
        `${first?.sessionId}: exited with code 0 after 0.0 s, 2 lines, 4 bytes: seq\n` +
          `${sessionId}: running for 2.0 s, terminal, 1 lines, 3 bytes, 3 bytes new: npm run dev`,
      )
      expect(done.exitCode).toBe(0)
    }),
  )
})
