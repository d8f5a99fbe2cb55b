/** Reads one segment of a history: its records by binary search, and its output by the bytes of the whole. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Folder, HistoryError, type ReadFile } from "./HistoryFiles.ts"
import * as Records from "./Records.ts"
import { namesOf, type Segment } from "./Segments.ts"

/** Records that one read of the index brings. */
const pageRecords = 256

const gone = new HistoryError({ reason: "Gone", message: "the segment is written over" })
const torn = new HistoryError({ reason: "Failed", message: "a file of the history is not as it was written" })

/** Keeps the output of a segment from being written over, to the end of the scope. */
export const held = (segment: Segment): Effect.Effect<void, HistoryError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      if (segment.readers === undefined) return Effect.fail(gone)
      segment.readers += 1
      return Effect.void
    }),
    () => Effect.sync(() => (segment.readers = (segment.readers ?? 1) - 1)),
  )

/** An open segment: what it had when it was opened. */
export class SegmentReader {
  /** Its records. */
  readonly chunks: number
  /** The end of its output, in bytes of the whole. */
  readonly endByte: number
  private readonly first: number
  private readonly index: ReadFile
  private readonly output: ReadFile
  private page: { readonly from: number; readonly bytes: Uint8Array } | undefined

  private constructor({ chunks, bytes, first }: Segment, index: ReadFile, output: ReadFile) {
    ;[this.chunks, this.first, this.endByte] = [chunks, first.byte, first.byte + bytes]
    ;[this.index, this.output] = [index, output]
  }

  /** Opens the files, to the end of the scope. */
  static open(folder: Folder, segment: Segment): Effect.Effect<SegmentReader, HistoryError, Scope.Scope> {
    return Effect.gen(function* () {
      const { ...now } = segment
      const names = namesOf(segment)
      yield* held(segment)
      const index = yield* folder.open(names.index)
      const output = yield* folder.open(names.output)
      return new SegmentReader(now, index, output)
    })
  }

  /** The record of that index, which there must be. */
  record(at: number): Effect.Effect<Records.Record, HistoryError> {
    return Effect.suspend(() => {
      const known = this.fromPage(at)
      return known === undefined
        ? Effect.andThen(
            this.turnTo(at),
            Effect.suspend(() => this.fromPage(at) ?? Effect.fail(torn)),
          )
        : known
    })
  }

  /** The index of the first record that passes a test, which all behind it pass; the number of records if none does. */
  firstThat(passes: (record: Records.Record) => boolean): Effect.Effect<number, HistoryError> {
    return Effect.gen({ self: this }, function* () {
      let [low, high] = [0, this.chunks]
      while (low < high) {
        const middle = (low + high) >> 1
        if (passes(yield* this.record(middle))) high = middle
        else low = middle + 1
      }
      return low
    })
  }

  /** The output from one byte of the whole to another. */
  bytes(from: number, to: number): Effect.Effect<Uint8Array, HistoryError> {
    return Effect.flatMap(
      Effect.sync(() => new Uint8Array(to - from)),
      (into) =>
        Effect.flatMap(this.output.read(from - this.first, into), (length) =>
          length === into.length ? Effect.succeed(into) : Effect.fail(torn),
        ),
    )
  }

  private fromPage(at: number): Effect.Effect<Records.Record, HistoryError> | undefined {
    const { page } = this
    if (page === undefined || at < page.from) return undefined
    const place = (at - page.from) * Records.recordBytes
    if (place >= page.bytes.length) return undefined
    const record = Records.read(page.bytes, place)
    return record === undefined ? Effect.fail(torn) : Effect.succeed(record)
  }

  private turnTo(at: number): Effect.Effect<void, HistoryError> {
    return Effect.gen({ self: this }, function* () {
      const from = at - (at % pageRecords)
      const bytes = new Uint8Array(Math.min(pageRecords, this.chunks - from) * Records.recordBytes)
      const length = yield* this.index.read(from * Records.recordBytes, bytes)
      this.page = { from, bytes: bytes.subarray(0, length) }
    })
  }
}
