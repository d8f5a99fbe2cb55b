/** Output for a picture that the log no longer has, from the history of its process. */
import * as Effect from "effect/Effect"
import type { Chunk } from "../Chunk.ts"
import type { History } from "../history/History.ts"
import type { HistoryError } from "../history/HistoryFiles.ts"
import * as Reading from "../history/Reading.ts"

/** The most output of a history that is painted for a picture, in bytes: a few seconds of work. */
export const mostRecalled = 64 * 2 ** 20

/** What a history has of lost output. */
export interface Lost {
  /** The first seq from which nothing is missing: that of the gap, or a later one. */
  readonly from: number
  /** The output from there on, or nothing if another gap is in front of it. */
  readonly chunks: ReadonlyArray<Chunk>
}

/**
 * Output at the begin of a gap: whole chunks of at most `mostBytes`, or one. Of a history with more than `most` bytes
 * in front of `target`, only the last are told. A history that cannot be read has nothing.
 */
export const lost = (
  history: History | undefined,
  gap: { readonly from: number; readonly to: number },
  target: number,
  mostBytes: number,
  most = mostRecalled,
): Effect.Effect<Lost> => {
  const none: Lost = { from: gap.to + 1, chunks: [] }
  if (history === undefined) return Effect.succeed(none)
  const found = Effect.gen(function* () {
    yield* history.written(gap.to)
    const from = yield* beginOf(history, gap.from, target, most)
    if (from > gap.to) return none
    const { chunks } = yield* Reading.after(history, from - 1, mostBytes)
    const first = chunks[0]?.seq
    // Files that are removed meanwhile are read as if they were empty.
    if (first === undefined || first > gap.to || history.isLeft) return none
    const isKept = (history.kept[0]?.first.seq ?? 0) <= from || Reading.beginOf(history) === 0
    return { from: isKept ? from : first, chunks }
  })
  return Effect.catch(found, () => Effect.succeed(none))
}

/** The seq with which to begin, so that at most so many bytes are in front of what follows `target`. */
const beginOf = (
  history: History,
  from: number,
  target: number,
  most: number,
): Effect.Effect<number, HistoryError> =>
  Effect.gen(function* () {
    if (history.end.byte <= most) return from
    const end = yield* Reading.placeOf(history, { kind: "seq", at: target + 1 })
    if (end <= most) return from
    const place = yield* Reading.at(history, end - most)
    // What was dropped meanwhile is not read, wherever the reading begins.
    return Math.max(from, place?.seq ?? from)
  })
