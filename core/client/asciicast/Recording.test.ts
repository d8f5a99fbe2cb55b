import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import type { HistoryResult } from "../../features/history/wire.ts"
import { effect } from "../../testing/Effects.ts"
import type { WaitResult } from "../../features/wait/wire.ts"
import type { HistoryOptions, WaitOptions } from "../RemoteProcess.ts"
import { read } from "./Cast.ts"
import * as Recording from "./Recording.ts"

const begin = 1_700_000_000_123
const bytes = (text: string) => new TextEncoder().encode(text)

/** A history of these chunks, which answers with at most so many bytes. */
const historyOf = (
  texts: ReadonlyArray<string>,
  pageBytes: number,
  sizes: NonNullable<HistoryResult["sizes"]> = [],
  stream: "pty" | "stdout" = "pty",
) => {
  const all = texts.map((text, index) => ({ seq: index + 1, stream, chunk: bytes(text) }))
  const end = all.reduce((sum, { chunk }) => sum + chunk.length, 0)
  const history = ({ from, tail, times, to }: HistoryOptions = {}) => {
    expect(times).toBe(true)
    const start = tail === 0 ? end : (from?.byte ?? 0)
    const stop = Math.min(end, to?.byte ?? end)
    const nextByte = Math.min(stop, start + pageBytes)
    let at = 0
    const part = all.flatMap(({ chunk, ...one }) => {
      const place = at
      at += chunk.length
      const piece = chunk.subarray(Math.max(0, start - place), Math.max(0, nextByte - place))
      return piece.length === 0 ? [] : [{ ...one, chunk: piece }]
    })
    const [first = 1, last = 1] = [part[0]?.seq, part.at(-1)?.seq]
    const before = sizes.filter(({ afterSeq }) => afterSeq < first)
    return Effect.succeed<HistoryResult>({
      chunks: part,
      times: part.map(({ seq }) => begin + seq * 250),
      sizes: [...before.slice(-1), ...sizes.filter(({ afterSeq }) => afterSeq >= first && afterSeq < last)],
      byte: start,
      line: 1,
      nextByte,
      eof: nextByte === stop,
      closed: true,
    })
  }
  return { history }
}

const recorded = (...args: Parameters<typeof Recording.lines>) =>
  Effect.map(Stream.runCollect(Recording.lines(...args)), (lines) => Result.getOrThrow(read(lines.join(""))))

describe("Recording", () => {
  const texts = Array.from({ length: 60 }, (_, n) => `${n} 語🙂${"x".repeat(n)}`)
  const sizes = [
    { afterSeq: 0, rows: 5, columns: 20 },
    { afterSeq: 7, rows: 6, columns: 21 },
    { afterSeq: 59, rows: 7, columns: 22 },
  ]

  it.each([1, 7, 64, 1_000_000])(
    "has each chunk at its time, and each size at its place, from pages of %i bytes",
    async (pageBytes) => {
      await effect(function* () {
        const process = historyOf(texts, pageBytes, sizes)
        for (const version of [2, 3] as const) {
          const { header, events } = yield* recorded(process, { version, command: "c", exitCode: 4 })
          expect(header).toMatchObject({
            version,
            columns: 20,
            rows: 5,
            timestamp: 1_700_000_000,
            command: "c",
          })
          expect(events).toEqual([
            ...texts.flatMap((text, index) => {
              const at = index * 250
              const size = sizes.find(({ afterSeq }) => afterSeq === index && index > 0)
              const resize =
                size === undefined ? [] : [{ kind: "resize", at, rows: size.rows, columns: size.columns }]
              return [...resize, { kind: "output", at, text }]
            }),
            ...(version === 2 ? [] : [{ kind: "exit", at: 59 * 250, code: 4 }]),
          ])
        }
      })()
    },
  )

  it(
    "is a header alone if there is nothing, and has lines that a terminal shows if there was none",
    effect(function* () {
      expect(yield* recorded(historyOf([], 9))).toEqual({
        header: { version: 2, columns: 80, rows: 24 },
        events: [],
      })
      const { events } = yield* recorded(historyOf(["a\n", "b\n"], 9, [], "stdout"))
      expect(events.map((event) => "text" in event && event.text)).toEqual(["a\r\n", "b\r\n"])
    }),
  )

  it(
    "ends with what was printed when it began, however fast the process prints on",
    effect(function* () {
      let printed = 0
      const history = (options: HistoryOptions = {}) =>
        historyOf(
          Array.from({ length: (printed += 5) }, (_, index) => `${index}\n`),
          2,
        ).history(options)
      const { events } = yield* recorded({ history })
      expect(events.map((event) => "text" in event && event.text).join("")).toBe("0\n1\n2\n3\n4\n")
    }),
  )

  /** A process that prints one more chunk each time it is waited for, and then closes with 5. */
  const growing = (texts: ReadonlyArray<string>, pageBytes: number) => {
    let printed = 1
    const waited: Array<number | undefined> = []
    const history = (options: HistoryOptions = {}) =>
      Effect.map(historyOf(texts.slice(0, printed), pageBytes).history(options), (part) => ({
        ...part,
        closed: printed > texts.length,
      }))
    const wait = ({ afterSeq, until }: WaitOptions) =>
      Effect.sync(() => {
        if (afterSeq !== undefined) waited.push(afterSeq)
        if (until.length === 2) printed += 1
        const [closed, exited] = [printed > texts.length, until.length === 1]
        return { met: closed && !exited ? 1 : 0, exitCode: closed ? 5 : null } as WaitResult
      })
    return { waited, history, wait }
  }

  it.each([3, 1_000_000])("goes on until its process has closed, in pages of %i bytes", async (pageBytes) => {
    await effect(function* () {
      const process = growing(["one 語", "two", "three"], pageBytes)
      const lines = yield* Stream.runCollect(Recording.live(process, { version: 3 }))
      const { events } = Result.getOrThrow(read(lines.join("")))
      expect(events).toEqual([
        { kind: "output", at: 0, text: "one 語" },
        { kind: "output", at: 250, text: "two" },
        { kind: "output", at: 500, text: "three" },
        { kind: "exit", at: 500, code: 5 },
      ])
      expect(process.waited).toEqual([1, 2, 3])
      // Each chunk is there before the next one is waited for.
      expect(lines.filter((text) => text.includes(`"o"`))).toHaveLength(3)
    })()
  })

  it(
    "ends when it is asked to, with what was printed until then",
    effect(function* () {
      const asked = yield* Deferred.make<void>()
      const { history } = growing(["one", "two"], 9)
      const wait = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const lines = yield* Stream.runCollect(
        Recording.live({ history, wait }, { until: Deferred.await(asked) }),
      )
      const { events } = Result.getOrThrow(read(lines.join("")))
      expect(events).toEqual([{ kind: "output", at: 0, text: "one" }])
    }),
  )

  it(
    "fails where the server keeps no more",
    effect(function* () {
      const { wait } = growing(["one"], 9)
      const ended = { reason: "full", byte: 3, message: "no space left" } as const
      const history = (options: HistoryOptions = {}) =>
        Effect.map(historyOf(["one"], 9).history(options), (part) => ({ ...part, closed: false, ended }))
      const failure = yield* Effect.flip(Stream.runDrain(Recording.live({ history, wait })))
      expect(failure).toMatchObject({
        reason: "EventsLost",
        message: expect.stringContaining("no space left"),
      })
    }),
  )
})
