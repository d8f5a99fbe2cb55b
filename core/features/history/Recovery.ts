/**
 * The rest of a history whose server has died: everything up to the first record that is torn, or that names output
 * which is not there. The rest is cut off, also older output that was about to be written over. A record is written
 * behind its output, so none names older output.
 */
import * as Effect from "effect/Effect"
import type { Folder, HistoryError } from "./HistoryFiles.ts"
import * as Lines from "../../pattern/Lines.ts"
import type { Source } from "./Reading.ts"
import { type Place, type Record, recordBytes, read as readRecord } from "./Records.ts"
import { namesOf, type Segment } from "./Segments.ts"

/** A history without a writer. */
export interface Recovered extends Source {
  /** The record of its last chunk; undefined if it has none. */
  readonly last: Record | undefined
  /** Bytes that were cut off, of both kinds of files. */
  readonly cutBytes: number
}

/** Records that are looked at together. */
const pageRecords = 4096

/** Cuts off what is torn, and says what is left. */
export const recover = (folder: Folder): Effect.Effect<Recovered, HistoryError> =>
  Effect.gen(function* () {
    const sizes = new Map((yield* folder.list).map(({ name, size }) => [name, size]))
    const numbers = [...sizes.keys()].flatMap((name) => (/^\d+\.idx$/.test(name) ? [parseInt(name, 10)] : []))
    const kept: Array<Segment> = []
    let newest: Record | undefined
    let end: Place = { byte: 0, line: 0 }
    let cutBytes = 0
    for (const number of numbers.sort((a, b) => a - b)) {
      const names = namesOf({ number })
      const has = { index: sizes.get(names.index) ?? 0, output: sizes.get(names.output) ?? 0 }
      const good = yield* Effect.scoped(whole(folder, number, has.output))
      const { chunks, bytes, first, last } = good
      const cut = has.index - chunks * recordBytes + has.output - bytes
      cutBytes += cut
      if (cut > 0) yield* cutTo(folder, names, chunks, bytes)
      if (first === undefined || last === undefined) continue
      kept.push({ number, first, bytes, chunks, size: bytes + chunks * recordBytes, readers: 0 })
      newest = last
      end = yield* Effect.scoped(endOf(folder, names.output, last, first.byte))
    }
    return { folder, kept, end, last: newest, cutBytes }
  })

interface Whole {
  chunks: number
  bytes: number
  first: Record | undefined
  last: Record | undefined
}

/** The records of a segment that are good, and the output that they name. */
const whole = (folder: Folder, number: number, outputBytes: number) =>
  Effect.gen(function* () {
    const index = yield* folder.open(namesOf({ number }).index)
    const page = new Uint8Array(pageRecords * recordBytes)
    const found: Whole = { chunks: 0, bytes: 0, first: undefined, last: undefined }
    for (;;) {
      const length = yield* index.read(found.chunks * recordBytes, page)
      const before = found.chunks
      for (let at = 0; at + recordBytes <= length; at += recordBytes) {
        const record = readRecord(page, at)
        if (record === undefined) return found
        found.first ??= record
        const follows = record.byte === found.first.byte + found.bytes
        if (!follows || found.bytes + record.length > outputBytes) return found
        found.last = record
        found.chunks += 1
        found.bytes += record.length
      }
      if (found.chunks === before) return found
    }
  })

const cutTo = (
  folder: Folder,
  names: { readonly output: string; readonly index: string },
  chunks: number,
  bytes: number,
) =>
  Effect.gen(function* () {
    const pairs = [
      [names.index, chunks * recordBytes],
      [names.output, bytes],
    ] as const
    for (const [name, size] of pairs) {
      const file = yield* folder.reopen(name)
      yield* Effect.ensuring(file.truncate(size), file.close)
    }
  }).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "Gone",
      () => Effect.void,
    ),
  )

/** The end of a segment, of whose last chunk the lines have to be counted. */
const endOf = (folder: Folder, name: string, last: Record, firstByte: number) =>
  Effect.gen(function* () {
    const output = yield* folder.open(name)
    const bytes = new Uint8Array(last.length)
    yield* output.read(last.byte - firstByte, bytes)
    return { byte: last.byte + last.length, line: last.line + Lines.count(bytes) }
  })
