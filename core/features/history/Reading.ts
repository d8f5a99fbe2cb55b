/**
 * Reads any part of a history, in time that grows with the part and with the logarithm of the whole.
 *
 * The whole is what `command > file 2>&1` writes: bytes and lines are counted in it. Of what was dropped, a read begins
 * at the oldest that is kept.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chunk } from "../../process/Chunk.ts"
import { type Folder, HistoryError, type ReadFile } from "./HistoryFiles.ts"
import * as Lines from "../../pattern/Lines.ts"
import type { Place, Record } from "./Records.ts"
import { namesOf, type Segment } from "./Segments.ts"
import * as Records from "./Records.ts"

export interface Source {
  /** Undefined if nothing could be kept. */
  readonly folder: Folder | undefined
  /** The segments that are kept now, oldest first. */
  readonly kept: ReadonlyArray<Segment>
  /** The end of it. */
  readonly end: Place
}

/** A place that a client names: in front of a seq, a byte (from 0), a line (from 1), or what was printed at a time. */
export interface Point {
  /** The unit of `at`. */
  readonly kind: "seq" | "byte" | "line" | "time"
  /** The seq, the byte from 0, the line from 1, or milliseconds since the epoch. */
  readonly at: number
}

export interface Part {
  /** Those at its edges may be parts of their chunks. */
  readonly chunks: ReadonlyArray<Chunk>
  /** When each of them was taken, in milliseconds since 1970. */
  readonly times: ReadonlyArray<number>
  /** Its begin, in bytes of the output: behind `from`, if what is there was dropped. */
  readonly byte: number
  /** The line in which it begins, from 1. */
  readonly line: number
  /** Its end, in bytes of the output. */
  readonly nextByte: number
}

/** Most chunks of a part. */
export const mostChunks = 16_384

/** The oldest byte that is kept; the end if none is. */
export const beginOf = ({ kept, end }: Source): number => kept[0]?.first.byte ?? end.byte

/** The place of a point, as a byte of the whole. */
export const placeOf = (source: Source, { kind, at }: Point): Effect.Effect<number, HistoryError> =>
  Effect.suspend(() => {
    // As it is now: what is written while records are read lies behind a place that is not there yet.
    const { end } = source
    switch (kind) {
      case "byte":
        return Effect.succeed(Math.min(Math.max(at, beginOf(source)), end.byte))
      case "seq":
        return Effect.map(
          find(source, ({ seq }) => seq >= at),
          (found) => found?.byte ?? end.byte,
        )
      case "time":
        return Effect.map(
          find(source, ({ time }) => time >= at),
          (found) => found?.byte ?? end.byte,
        )
      case "line":
        return lineAt(source, at - 1)
    }
  })

/** The byte at which the last lines begin, so many; what is behind the last end of a line is one. */
export const tailOf = (source: Source, lines: number): Effect.Effect<number, HistoryError> =>
  Effect.gen(function* () {
    const { end } = source
    if (end.byte === 0 || lines === 0) return end.byte
    const { chunks } = yield* read(source, end.byte - 1, end.byte, 1)
    const isOpen = chunks[0]?.bytes[0] !== Lines.lineEnd
    return yield* lineAt(source, end.line + (isOpen ? 1 : 0) - lines)
  })

/** At most `maxBytes` from one byte to another. */
export const read = (
  source: Source,
  from: number,
  to: number,
  maxBytes: number,
): Effect.Effect<Part, HistoryError> =>
  collect(source, from, (record, bytes, chunks) => {
    const start = Math.max(from, record.byte)
    const stop = Math.min(to, record.byte + record.length, start + maxBytes - bytes)
    return stop > start && chunks < mostChunks ? stop : undefined
  })

/** Whole chunks behind a seq: at most `maxBytes`, and at least one. */
export const after = (source: Source, seq: number, maxBytes: number): Effect.Effect<Part, HistoryError> =>
  Effect.flatMap(placeOf(source, { kind: "seq", at: seq + 1 }), (from) =>
    collect(source, from, ({ byte, length }, bytes, chunks) =>
      (bytes === 0 || bytes + length <= maxBytes) && chunks < mostChunks ? byte + length : undefined,
    ),
  )

/** Output from one byte on, up to `end`, as much as `memory` holds, or to the end of its segment if that comes first. */
export const bytes = (
  source: Source,
  from: number,
  end: number,
  memory: Uint8Array,
): Effect.Effect<
  { readonly bytes: Uint8Array; readonly byte: number; readonly nextByte: number },
  HistoryError
> =>
  again(source, ({ folder, kept }) =>
    Effect.gen(function* () {
      const segment = lastThat(kept, ({ byte }) => byte <= from)
      if (folder === undefined || segment === undefined)
        return { bytes: new Uint8Array(0), byte: end, nextByte: end }
      const { first } = segment
      const byte = Math.max(from, first.byte)
      const into = memory.subarray(0, Math.max(0, Math.min(end, first.byte + segment.bytes) - byte))
      yield* held(segment)
      const file = yield* folder.open(namesOf(segment).output)
      const length = yield* file.read(byte - first.byte, into)
      return { bytes: into.subarray(0, length), byte, nextByte: byte + length }
    }),
  )

/** The begin of the line with a byte, as far as it is kept. */
export const lineStart = (source: Source, byte: number): Effect.Effect<number, HistoryError> =>
  Effect.flatMap(read(source, byte, byte, 1), ({ line }) =>
    Effect.map(lineAt(source, line - 1), (start) => Math.min(start, byte)),
  )

/** The chunk and the line with a byte; undefined if it is no longer kept. */
export const at = (
  source: Source,
  byte: number,
): Effect.Effect<{ readonly seq: number; readonly line: number } | undefined, HistoryError> =>
  Effect.map(read(source, byte, byte + 1, 1), ({ chunks, line, byte: begin }) =>
    begin === byte ? { seq: chunks[0]?.seq ?? 0, line } : undefined,
  )

/** The first record that passes a test, which all behind it pass. */
export const find = (
  source: Source,
  passes: (record: Record) => boolean,
): Effect.Effect<Record | undefined, HistoryError> =>
  again(source, ({ folder, kept }) =>
    Effect.gen(function* () {
      const next = kept.findIndex(({ first }) => passes(first))
      const last = kept.at(next === -1 ? -1 : next - 1)
      if (folder === undefined || last === undefined || next === 0) return kept[0]?.first
      const reader = yield* SegmentReader.open(folder, last)
      const index = yield* reader.firstThat(passes)
      return index < reader.chunks ? yield* reader.record(index) : kept[next]?.first
    }),
  )

/** The last segment whose first record passes a test; the oldest if none does. */
const lastThat = (kept: ReadonlyArray<Segment>, passes: (first: Record) => boolean): Segment | undefined => {
  const next = kept.findIndex(({ first }) => !passes(first))
  return next === -1 ? kept.at(-1) : kept[Math.max(0, next - 1)]
}

/** Behind so many ends of lines; the end of what is kept, if there are not so many. */
const lineAt = (source: Source, ends: number): Effect.Effect<number, HistoryError> =>
  again(source, ({ folder, kept, end }) =>
    Effect.gen(function* () {
      const [oldest] = kept
      if (folder === undefined || oldest === undefined || ends <= oldest.first.line) return beginOf(source)
      if (ends > end.line) return end.byte
      // The segment in which that line ends.
      const segment = lastThat(kept, ({ line }) => line < ends) ?? oldest
      const reader = yield* SegmentReader.open(folder, segment)
      const index = yield* reader.firstThat(({ line }) => line >= ends)
      const { byte, length, line } = yield* reader.record(index - 1)
      const bytes = yield* reader.bytes(byte, byte + length)
      return byte + (Lines.behind(bytes, ends - line) ?? length)
    }),
  )

/** Calls `until` for each record from a byte on, for where to end in it, until that is undefined. */
const collect = (
  source: Source,
  from: number,
  until: (record: Record, bytes: number, chunks: number) => number | undefined,
): Effect.Effect<Part, HistoryError> =>
  again(source, ({ folder, kept, end }) =>
    Effect.gen(function* () {
      const begin = Math.min(Math.max(from, kept[0]?.first.byte ?? end.byte), end.byte)
      const [chunks, times]: [Array<Chunk>, Array<number>] = [[], []]
      let [at, bytes, isWhole] = [begin, 0, true]
      let line: number | undefined
      const first = lastThat(kept, ({ byte }) => byte <= begin)
      if (folder === undefined || first === undefined)
        return { chunks, times, byte: at, line: end.line + 1, nextByte: at }
      for (const segment of kept.slice(kept.indexOf(first))) {
        if (!isWhole) break
        const reader = yield* SegmentReader.open(folder, segment)
        const start = at
        const taken: Array<{ readonly record: Record; readonly from: number; readonly to: number }> = []
        let index = yield* reader.firstThat(({ byte, length }) => byte + length > start)
        if (line === undefined && index < reader.chunks) {
          const record = yield* reader.record(index)
          line = record.line + Lines.count(yield* reader.bytes(record.byte, begin)) + 1
        }
        for (; index < reader.chunks && isWhole; index++) {
          const record = yield* reader.record(index)
          const to = until(record, bytes, chunks.length + taken.length)
          if (to !== undefined) {
            taken.push({ record, from: at, to })
            bytes += to - at
            at = to
          }
          isWhole = to === record.byte + record.length
        }
        const [one] = taken
        if (one === undefined) continue
        const base = one.from
        const all = yield* reader.bytes(base, at)
        for (const { record, from, to } of taken) {
          const { seq, stream, time } = record
          times.push(time)
          chunks.push({ kind: "output", seq, stream, bytes: all.subarray(from - base, to - base) })
        }
      }
      return { chunks, times, byte: begin, line: line ?? end.line + 1, nextByte: at }
    }),
  )

/** Again, if a segment was dropped before it was opened. */
const again = <A>(
  source: Source,
  use: (source: Source) => Effect.Effect<A, HistoryError, Scope.Scope>,
): Effect.Effect<A, HistoryError> =>
  Effect.suspend(() => {
    const { folder, kept, end } = source
    const now = { folder, kept: [...kept], end }
    return Effect.catchIf(
      Effect.scoped(use(now)),
      ({ reason }) => reason === "Gone" && source.kept[0] !== now.kept[0],
      () => again(source, use),
    )
  })

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
