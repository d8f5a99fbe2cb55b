/** The marks of a process as its events: once and in order, also over a lost connection and from a read. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected } from "../testing/NetworkClient.ts"
import * as MutePeer from "../testing/MutePeer.ts"
import * as ExecClient from "./ExecClient.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

const [prompt, run, done] = ["\x1b]133;A\x07", "\x1b]133;C\x07", "\x1b]133;D;3\x07"]
const start = { argv: ["sh"], processId: "p", tty: true, marks: true }

const kinds = (events: ReadonlyArray<ProcessEvent>) =>
  events.map((event) => (event.kind === "mark" ? event.mark : event.kind))
const all = ["output", "promptStart", "output", "commandStart", "output", "commandEnd", "exited", "closed"]

describe("the marks of a process", () => {
  it(
    "are events between its output, over a lost connection too, and for one that attaches",
    effect(function* () {
      const { client, fake, network } = yield* connected()
      const process = yield* client.start(start)
      const child = yield* fake.next
      const events = yield* Effect.forkChild(Stream.runCollect(process.events))
      child.output("pty", `${prompt}$ `)
      yield* settle
      yield* network.cut
      child.output("pty", `ls${run}x${done}`)
      yield* pass(3000)
      child.finish(0)
      yield* settle
      // The `$ ` behind the prompt is a chunk of its own: it came before the next output.
      const found = yield* Fiber.join(events)
      expect(kinds(found)).toEqual([...all.slice(0, 2), "output", ...all.slice(2)])
      const end = found.find((event) => event.kind === "mark" && event.exitCode !== null)
      expect(end).toEqual({ kind: "mark", seq: 7, mark: "commandEnd", exitCode: 3, cwd: null })
      const again = yield* client.attach("p")
      expect(kinds(yield* Stream.runCollect(again.events))).toEqual(kinds(found))
    }),
  )

  it(
    "are refused where the server does not tell them, as are answers where it gives none",
    effect(function* () {
      const { transport } = yield* MutePeer.make
      const client = yield* ExecClient.make(transport)
      expect(yield* Effect.flip(client.start(start))).toMatchObject({
        reason: "InvalidOption",
        message: "marks: true needs a server with the capability processMarks, which this one lacks",
      })
      const terminal = { argv: ["vim"], tty: true, answers: true }
      expect(yield* Effect.flip(client.start(terminal))).toMatchObject({
        message: "answers: true needs a server with the capability processAnswers, which this one lacks",
      })
    }),
  )
})
