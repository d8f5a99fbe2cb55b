import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import type { HistoryResult } from "../../protocol/History.ts"
import { effect } from "../../testing/Effects.ts"
import type { HistoryOptions } from "../HistoryCalls.ts"
import { read } from "./CastReader.ts"
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
  const history = ({ from, times }: HistoryOptions = {}) => {
    expect(times).toBe(true)
    const start = from?.byte ?? 0
    const nextByte = Math.min(end, start + pageBytes)
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
      eof: nextByte === end,
      closed: true,
    })
  }
  return { history }
}

const recorded = (...args: Parameters<typeof Recording.lines>) =>
  Effect.map(Stream.runCollect(Recording.lines(...args)), (lines) =>
    Either.getOrThrow(read(Chunk.toReadonlyArray(lines).join(""))),
  )

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
})
