/** Tests the form of output in replies of exec_command and write_stdin, and the places that they name. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Rules from "../features/egress/Rules.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { begun, make, printed } from "./testing/Agent.ts"
import type { ReadOutput } from "./Tools.ts"

const colored = "\u001b[1mbuild\u001b[0m\r\n 10%\r100%\r\n"

describe("A reply", () => {
  it.each([
    ["is plain by default", {}, "build\n100%\n"],
    ["is as it was printed where that is asked for", { text: "raw" as const }, colored],
    ["is as it was printed for the tools of Codex", { tools: "codex" as const }, colored],
    [
      "of those is plain where that is asked for",
      { tools: "codex" as const, text: "plain" as const },
      "build\n100%\n",
    ],
  ])("%s", (_, options, output) =>
    effect(function* () {
      expect(yield* printed(yield* make(options), colored, 1_000)).toMatchObject({ output })
    })(),
  )

  it(
    "names the connections of its command that egress rules have denied, a few of them",
    effect(function* () {
      const policy = { of: "the server", rules: () => Rules.nothing }
      const floor = { places: [{ path: "/", access: "write" }], network: false } as const
      const made = yield* make({}, { capabilities: { egress: true } }, { egress: policy, floor })
      const { call, child, tools } = yield* begun({ yield_time_ms: 250 }, made)
      const deny = (host: string) =>
        Effect.promise(async () => {
          const attempt = { protocol: "https_connect", host, port: 443 } as const
          child.spec.egress?.told(attempt, await child.spec.egress.decide(attempt))
        })
      yield* deny("a.org")
      yield* pass(500)
      const first = yield* Fiber.join(call)
      expect(first.notices).toEqual([
        expect.stringMatching(/^a\.org:443 is blocked: it is not in the allow list of the server; .*[^.]\.$/),
      ])
      expect(Reply.toText(first)).toContain("\nNotice: a.org:443 is blocked: ")
      for (let at = 0; at < 20; at++) yield* deny(`${at}.org`)
      child.finish(0)
      const last = yield* Effect.forkChild(tools.writeStdin({ session_id: first.sessionId ?? 0 }))
      yield* pass(6_000)
      const { notices } = yield* Fiber.join(last)
      expect(notices?.length).toBe(9)
      expect(notices?.at(-1)).toBe("More connections were blocked.")
    }),
  )

  it(
    "leaves an escape sequence that has not ended to the next one",
    effect(function* () {
      const { call, child, tools } = yield* begun({ tty: true, yield_time_ms: 250 }, yield* make())
      child.output("pty", "a\u001b[3")
      yield* pass(500)
      const first = yield* Fiber.join(call)
      expect(first.output).toBe("a")
      child.output("pty", "1mb")
      const next = yield* Effect.forkChild(tools.writeStdin({ session_id: first.sessionId ?? 0 }))
      yield* pass(6_000)
      expect((yield* Fiber.join(next)).output).toBe("b")
    }),
  )

  it(
    "names the call that gets all lines that its text lacks",
    effect(function* () {
      const made = yield* make()
      const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at}`)
      const raw = lines.map((line) => `\u001b[32m0%\u001b[0m\r${line}\r\n`).join("")
      const reply = yield* printed(made, raw, 1_000)
      expect(reply.output).not.toContain("\u001b")
      yield* settle
      const seen = new Set(reply.output.split(/[\n…]/))
      let texts = Reply.toTexts(reply)
      for (let rest = reply.rest?.call; rest !== undefined;) {
        expect(texts.at(-1)).toContain(JSON.stringify(rest.arguments))
        const part = yield* made.tools.readOutput(rest.arguments as unknown as ReadOutput)
        for (const line of part.output.split("\n")) seen.add(line)
        texts = Reply.toTexts(part)
        rest = part.rest?.call
      }
      expect(lines.filter((line) => !seen.has(line))).toEqual([])
    }),
  )
})
