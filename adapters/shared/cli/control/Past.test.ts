/**
 * The output of `procwire logs` for a real process that prints between the read of the past and the begin of the
 * follower.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Client } from "../../../../core/client/Client.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import { connect } from "../../../testing/Client.ts"
import * as Past from "./Past.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** A process that prints its input, and ends with its stdin; its row when it has printed the first line. */
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

/** The text on stdout meanwhile. */
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
      // Output of the time of the request is in its answer, too.
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
      return yield* printed(Past.search({ ...child, grep }, asked))
    })
    expect(await Effect.runPromise(program)).toBe("first\nsecond\n")
  })
})

describe("a process that prints faster than it is shown", () => {
  /** Before each answer, which has little, more is printed. */
  const hasty = Effect.gen(function* () {
    const { child, print, row } = yield* begin
    let printed = 0
    const behind = <A, E>(answer: Effect.Effect<A, E>) =>
      Effect.andThen(
        Effect.suspend(() => print(`line ${printed++}`)),
        answer,
      )
    const history: RemoteProcess["history"] = (options) => behind(child.history({ ...options, maxBytes: 1 }))
    const grep: RemoteProcess["grep"] = (options) => behind(child.grep({ ...options, maxMatches: 1 }))
    const read: RemoteProcess["read"] = (options) => behind(child.read({ ...options, maxBytes: 1 }))
    return { child: { ...child, history, grep, read }, print, row }
  })

  it.each([undefined, Date.now()])("has its last lines shown, and no more; since %s", async (since) => {
    const program = Effect.gen(function* () {
      const { child, row } = yield* hasty
      return yield* printed(
        Effect.scoped(Past.show(child, { ...usual, row, since, lines: 2, follow: false })),
      )
    })
    expect(await Effect.runPromise(program)).toBe("first\nline 0\n")
  })

  it("has the matches shown that it had at first", async () => {
    const program = Effect.gen(function* () {
      const { child } = yield* hasty
      const asked = { pattern: "[fl]i", ignoresCase: false, follow: false, since: undefined }
      return yield* printed(Past.search(child, asked))
    })
    expect(await Effect.runPromise(program)).toBe("first\nline 0\n")
  })

  it("has what is retained shown, without a history", async () => {
    const program = Effect.gen(function* () {
      const { child, row } = yield* hasty
      const history: RemoteProcess["history"] = (options) =>
        client.effect
          .start({ argv: ["true"] })
          .pipe(Effect.flatMap((without) => without.history({ ...options })))
      const shown = Past.show({ ...child, history }, { ...usual, row, lines: 9, follow: false })
      return yield* printed(Effect.scoped(shown))
    })
    expect(await Effect.runPromise(program)).toBe("first\n")
  })
})

describe("a process without a history", () => {
  const start = (script: string) =>
    Effect.gen(function* () {
      const child = yield* client.effect.start({ argv: ["sh", "-c", script] })
      yield* child.closed
      const { nextSeq } = yield* child.read()
      return { child, row: { nextSeq } as ListedProcess }
    })

  const told = (script: string, asked: Partial<Past.ShowOptions>) =>
    Effect.gen(function* () {
      const { child, row } = yield* start(script)
      return yield* printed(Effect.scoped(Past.show(child, { ...usual, row, follow: false, ...asked })))
    })

  it.each([
    [undefined, "1\n2\n3\nend"],
    [0, ""],
    [1, "end"],
    [3, "2\n3\nend"],
    [9, "1\n2\n3\nend"],
  ])("is shown as it is retained; last lines: %s", async (lines, text) => {
    expect(await Effect.runPromise(told("seq 3; sleep 0.1; printf end", { lines }))).toBe(text)
  })

  it("has no line behind its last newline", async () => {
    expect(await Effect.runPromise(told("seq 3; sleep 0.1; echo", { lines: 2 }))).toBe("3\n\n")
  })

  it("is told where its begin is gone", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const text = await Effect.runPromise(told("seq 400000", {}))
    expect(text.endsWith("399999\n400000\n")).toBe(true)
    expect(text.length).toBeLessThan(1_500_000)
    expect(stderr.mock.calls.flat()).toEqual([
      "procwire: what was printed before is no longer kept, for want of a history\n",
    ])
    stderr.mockRestore()
  })

  it("has no times", async () => {
    for (const asked of [{ since: 0 }, { timestamps: true }]) {
      const error = await Effect.runPromise(Effect.flip(told("echo", asked)))
      expect(error.message).toMatch(/has no history/)
    }
  })
})
