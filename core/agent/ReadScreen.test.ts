/** Tests read_screen over the real server, whose terminals show what they were fed. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Scroll from "../features/testing/Scroll.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { begun, make, printed } from "./testing/Agent.ts"

/** Tools over a server that has terminals. */
const painting = () => make({}, {}, { terminals: Scroll.make().service })

/** A command in a terminal that has printed this, and runs. */
const drawn = (text: string) =>
  Effect.gen(function* () {
    const made = yield* begun({ tty: true, yield_time_ms: 250 }, yield* painting())
    made.child.output("pty", text)
    yield* pass(1_000)
    const { sessionId: session_id = 0 } = yield* Fiber.join(made.call)
    return { ...made, session_id }
  })

describe("read_screen", () => {
  it(
    "tells what the terminal shows, and takes nothing from the next reply",
    effect(function* () {
      const { tools, child, session_id } = yield* drawn("first ")
      child.output("pty", "second")
      yield* settle
      const reply = yield* tools.call("read_screen", { session_id, scrollback: 5 })
      expect(reply).toMatchObject({
        output: "first second",
        sessionId: session_id,
        originalTokenCount: 3,
        screen: {
          sessionId: session_id,
          cursorRow: 1,
          cursorColumn: 13,
          cursorVisible: true,
          alternate: false,
        },
      })
      expect(Reply.toTexts(reply)).toEqual([
        `Screen of session ID ${session_id}: 24 rows, 80 columns\nCursor: row 1, column 13\n` +
          `Process running with session ID ${session_id}\nOutput:\nfirst second`,
      ])
      const next = yield* Effect.forkChild(tools.writeStdin({ session_id }))
      yield* pass(5_000)
      expect((yield* Fiber.join(next)).output).toBe("second")
    }),
  )

  it(
    "says what else there is: the alternate screen, a title, a hidden cursor, lines above, and an exit",
    effect(function* () {
      const { tools, child, session_id } = yield* drawn("x")
      child.finish(3)
      yield* settle
      const reply = yield* tools.readScreen({ session_id })
      const screen = { ...reply.screen, alternate: true, title: "a", cursorVisible: false, scrollback: 2 }
      expect(Reply.toText({ ...reply, screen: Object.assign(screen) })).toBe(
        `Screen of session ID ${session_id}: 24 rows, 80 columns, the alternate screen, title "a"\n` +
          "Cursor: row 1, column 2 (hidden)\nThe first 2 lines have left the screen at its top\n" +
          `Process exited with code 3 (session ID ${session_id})\nOutput:\nx`,
      )
    }),
  )

  it(
    "keeps within the tokens of the call",
    effect(function* () {
      const { tools, session_id } = yield* drawn("0123456789".repeat(100))
      const { output } = yield* tools.readScreen({ session_id, max_output_tokens: 5 })
      expect(output).toContain("0123456789…245 tokens truncated…0123456789")
    }),
  )

  it(
    "names the reason and the remedy: an unknown id, no terminal, an end that was told",
    effect(function* () {
      const { tools, child, session_id, ...made } = yield* drawn("x")
      const fails = (id: number) => Effect.flip(tools.readScreen({ session_id: id }))
      expect(yield* fails(5)).toMatchObject({ reason: "UnknownSession" })
      child.finish(0)
      yield* settle
      yield* tools.writeStdin({ session_id })
      expect(yield* fails(session_id)).toMatchObject({
        reason: "Screen",
        message: `read_screen failed: session ID ${session_id} has ended; read_output has what it has printed`,
      })
      yield* printed({ tools, ...made }, "x", 9)
      const { commands = [] } = yield* tools.listCommands({})
      expect(yield* fails(commands.at(-1)?.sessionId ?? 0)).toMatchObject({
        reason: "Screen",
        message: expect.stringContaining("rerun exec_command with tty=true"),
      })
    }),
  )

  it(
    "is offered where the server can tell, and not with the tools of Codex",
    effect(function* () {
      const names = (made: Effect.Success<ReturnType<typeof make>>) =>
        made.tools.definitions.map(({ name }) => name)
      expect(names(yield* painting())).toContain("read_screen")
      expect(names(yield* make({ tools: "codex" }, {}, { terminals: Scroll.make().service }))).toEqual([
        "exec_command",
        "write_stdin",
      ])
      const without = yield* make()
      expect(names(without)).not.toContain("read_screen")
      expect(yield* Effect.flip(without.tools.call("read_screen", { session_id: 1 }))).toMatchObject({
        reason: "UnknownTool",
      })
      const call = yield* Effect.forkChild(
        without.tools.execCommand({ cmd: "x", tty: true, yield_time_ms: 250 }),
      )
      yield* without.fake.next
      yield* pass(1_000)
      const { sessionId: session_id = 0 } = yield* Fiber.join(call)
      expect(yield* Effect.flip(without.tools.readScreen({ session_id }))).toMatchObject({
        reason: "Screen",
        message:
          "read_screen failed: the server cannot tell what a terminal shows; read_output has what was printed",
      })
    }),
  )
})
