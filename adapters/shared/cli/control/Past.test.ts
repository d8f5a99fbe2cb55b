/**
 * What `procwire logs` shows of a real process, while that prints in the very moments between what was printed and what
 * is followed.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Client } from "../../../../core/client/Client.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import { connect } from "../../../testing/Client.ts"
import * as Past from "./Past.ts"
import * as Search from "./Search.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** A process that prints what it is told, and ends with its stdin; its row when it has printed that first line. */
const begin = Effect.gen(function* () {
  const child = yield* client.effect.start({
    argv: ["cat"],
    pipeStdin: true,
    history: { maxBytes: 1024 * 1024 },
  })
  const print = (line: string) =>
    Effect.gen(function* () {
      yield* child.write(new TextEncoder().encode(`${line}\n`))
      yield* child.wait({ until: [{ pattern: `^${line}$`, flags: "m" }] })
    })
  yield* print("first")
  const { nextSeq } = yield* child.read()
  return { child, print, row: { nextSeq } as ListedProcess }
})

/** What is written to stdout meanwhile. */
const printed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const texts: Array<string> = []
      const spy = vi.spyOn(process.stdout, "write").mockImplementation(((
        bytes: Uint8Array,
        done: () => void,
      ) => {
        texts.push(new TextDecoder().decode(bytes))
        done()
        return true
      }) as never)
      return { texts, spy }
    }),
    ({ texts }) => Effect.map(effect, () => texts.join("")),
    ({ spy }) => Effect.sync(() => spy.mockRestore()),
  )

const usual = { since: undefined, lines: undefined, timestamps: false }

describe("what is followed", () => {
  it("is shown once, also if the history has it by then", async () => {
    const program = Effect.gen(function* () {
      const { child, print, row } = yield* begin
      // What is printed while the history is asked for what was printed before is in its answer.
      const history: RemoteProcess["history"] = (options) =>
        Effect.gen(function* () {
          yield* print("second")
          const page = yield* child.history({ ...options, to: { seq: Number.MAX_SAFE_INTEGER } })
          yield* print("third")
          yield* child.closeStdin
          return page
        })
      const shown = Past.show({ ...child, history }, { ...usual, row, follow: true })
      return yield* printed(Effect.scoped(shown))
    })
    const text = await Effect.runPromise(program)
    expect(text).toBe("first\nsecond\nthird\n")
  })

  it("is found in a search that goes on, also if it was printed just behind the search", async () => {
    const program = Effect.gen(function* () {
      const { child, print } = yield* begin
      let searches = 0
      const grep: RemoteProcess["grep"] = (options) =>
        Effect.gen(function* () {
          const page = yield* child.grep(options)
          searches += 1
          if (searches === 1) yield* print("second")
          // It has to be found before anything else is printed.
          if (page.matches.some(({ text }) => text === "second")) yield* child.closeStdin
          return page
        })
      const asked = { pattern: "^[fs]", ignoresCase: false, follow: true, since: undefined }
      return yield* printed(Search.show({ ...child, grep }, asked))
    })
    expect(await Effect.runPromise(program)).toBe("first\nsecond\n")
  })
})
