/**
 * The segments of one history, oldest first, and their files: `000001.out` has output as it was printed, and
 * `000001.idx` its records.
 *
 * Segments begin when the one before is full, and the oldest are dropped when all together are too large. The first
 * ones are small and grow with the history, so that what a full disk takes is a small part of it. A batch goes to one
 * segment as a whole: first its output, then its records. A segment without a reader is not removed: the newest is
 * written over its output, with an index of its own, and what is behind the last record is the old output. So an output
 * without an index is never there.
 *
 * On a full disk the oldest segments of all histories go, until there is room for what was printed last. Output without
 * room is lost, and so is everything before it: a history has no holes.
 */
import * as Effect from "effect/Effect"
import { maxChunkBytes } from "../../process/Chunk.ts"
import type { Batch, Written } from "./Batch.ts"
import type { Budget, Kept } from "./Budget.ts"
import type { Folder, HistoryError, Lost, WrittenFile } from "./HistoryFiles.ts"
import { type Record, recordBytes } from "./Records.ts"
import { leastBytes } from "./wire.ts"

/** The largest segment: 64 MiB. */
export const mostSegmentBytes = 64 * leastBytes

/** The first segments, of a history that may have larger ones: 256 KiB. */
const firstBytes = leastBytes / 4

export interface Segment extends Kept {
  /** The number in the names of its files. */
  readonly number: number
  /** The record of its first chunk. */
  readonly first: Record
  /** Bytes of output. */
  bytes: number
  /** Records. */
  chunks: number
  /** Bytes of both files. */
  size: number
  /** Number of readers that have it open; undefined once its file is written over. */
  readers: number | undefined
}

export const namesOf = ({ number }: Pick<Segment, "number">) => {
  const name = String(number).padStart(6, "0")
  return { output: `${name}.out`, index: `${name}.idx` }
}

interface Open {
  readonly segment: Segment
  readonly output: WrittenFile
  readonly index: WrittenFile
  /** Bytes that the file of the output had before, and has until it is closed. */
  readonly over: number
  /** Bytes from which on another segment begins. */
  readonly most: number
}

export class Segments {
  /** Those that can be read, oldest first. */
  readonly list: Array<Segment> = []
  private readonly folder: Folder
  private readonly maxBytes: number
  private readonly segmentBytes: number
  private readonly budget: Budget
  /** Output lost to a full disk, if any. */
  lost: Lost | undefined
  private last: Open | undefined
  private numbers = 0

  /** At most so many bytes of files, of the budget of all histories. */
  constructor(folder: Folder, maxBytes: number, budget: Budget) {
    this.folder = folder
    this.maxBytes = maxBytes
    this.segmentBytes = segmentBytesOf(maxBytes)
    this.budget = budget
  }

  /** Goes on behind the segments that another server has written; they count in the budget. */
  resume(written: ReadonlyArray<Segment>): Effect.Effect<void> {
    return Effect.forEach(
      written,
      (segment) => {
        this.numbers = segment.number
        this.enlist(segment)
        return this.budget.grown(segment)
      },
      { discard: true },
    )
  }

  private enlist(segment: Segment): void {
    this.list.push(segment)
    this.budget.add(segment, {
      drop: (full) => this.drop(segment, full),
      isOpen: () => this.last?.segment === segment,
    })
  }

  /** Appends a batch. After a failure the files are as they were before it; a full disk is none. */
  append(batch: Batch): Effect.Effect<void, HistoryError> {
    return Effect.catchIf(this.add(batch), isFull, (full) =>
      Effect.andThen(
        this.budget.tell(full),
        Effect.forEach(batch.parts(maxChunkBytes), (part) => this.squeeze(part), { discard: true }),
      ),
    )
  }

  /** Appends where others have to make room. */
  private squeeze(part: Written): Effect.Effect<void, HistoryError> {
    return Effect.catchIf(this.add(part), isFull, (full) =>
      Effect.flatMap(this.shed(full), (hasRoom) =>
        hasRoom ? this.squeeze(part) : Effect.sync(() => this.lose(part.output.length, full)),
      ),
    )
  }

  /** Drops the oldest segment of all, the one that is written here last; false if there is none. */
  private shed(full: HistoryError): Effect.Effect<boolean> {
    return Effect.flatMap(this.budget.shed(full), (hasDropped) => {
      const segment = this.last?.segment
      if (hasDropped || segment === undefined || !this.list.includes(segment))
        return Effect.succeed(hasDropped)
      return Effect.as(
        Effect.andThen(
          this.close,
          Effect.suspend(() => {
            this.budget.leave(segment)
            return this.drop(segment, full)
          }),
        ),
        true,
      )
    })
  }

  private lose(bytes: number, { message }: HistoryError): void {
    this.lost = { bytes: (this.lost?.bytes ?? 0) + bytes, message }
  }

  private add({ first, output, index, chunks }: Written): Effect.Effect<void, HistoryError> {
    return Effect.gen({ self: this }, function* () {
      if (first === undefined) return
      const written = yield* this.written(first, output.length + index.length)
      const { segment, over } = written
      const size = Math.max(over, segment.bytes + output.length) + (segment.chunks + chunks) * recordBytes
      yield* this.makeRoom(size - segment.size)
      const appending = Effect.andThen(written.output.append(output), written.index.append(index))
      yield* Effect.tapError(appending, () => this.cut(written))
      segment.bytes += output.length
      segment.chunks += chunks
      segment.size = size
      yield* this.budget.grown(segment)
    })
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const { last } = this
    this.last = undefined
    if (last === undefined) return Effect.void
    const closing = Effect.andThen(last.output.close, last.index.close)
    return last.over > last.segment.bytes ? Effect.andThen(this.cut(last), closing) : closing
  })

  /** The budget counts the segments no longer: their files are about to be removed. */
  leave(): void {
    for (const segment of this.list.splice(0)) this.budget.leave(segment)
  }

  /** Drops the oldest segments until so many bytes more fit. */
  private makeRoom(bytes: number): Effect.Effect<void> {
    let size = sizeOf(this.list) + bytes
    if (size <= this.maxBytes) return Effect.void
    const dropping: Array<Effect.Effect<void>> = []
    for (const oldest of this.list) {
      if (size <= this.maxBytes) break
      size -= oldest.size
      this.budget.leave(oldest)
      dropping.push(this.drop(oldest))
    }
    return Effect.all(dropping, { discard: true })
  }

  /** Another history may do this: files that are being written are closed by their writer. */
  private drop(segment: Segment, full?: HistoryError): Effect.Effect<void> {
    return Effect.suspend(() => {
      const at = this.list.indexOf(segment)
      if (at === -1) return Effect.void
      this.list.splice(at, 1)
      if (full !== undefined) this.lose(segment.bytes, full)
      const { index, output } = namesOf(segment)
      return Effect.andThen(this.folder.remove(output), this.folder.remove(index))
    })
  }

  /** The files of the last segment, or of a new one if so many bytes do not fit. */
  private written(first: Record, bytes: number): Effect.Effect<Open, HistoryError> {
    const { last } = this
    if (last !== undefined && this.list.includes(last.segment) && usedOf(last.segment) + bytes <= last.most)
      return Effect.succeed(last)
    return Effect.gen({ self: this }, function* () {
      yield* this.close
      const number = (this.numbers += 1)
      const names = namesOf({ number })
      const most = this.nextBytes
      const oldest = this.unused(most)
      const index = yield* this.folder.create(names.index)
      const taking =
        oldest === undefined
          ? this.folder.create(names.output)
          : this.folder.reuse(namesOf(oldest).output, names.output)
      const output = yield* Effect.tapError(taking, () =>
        Effect.andThen(index.close, this.folder.remove(names.index)),
      )
      const over = oldest?.bytes ?? 0
      const segment: Segment = { number, first, bytes: 0, chunks: 0, size: over, readers: 0 }
      this.last = { segment, output, index, over, most }
      this.enlist(segment)
      if (oldest !== undefined) yield* this.folder.remove(namesOf(oldest).index)
      return this.last
    })
  }

  /** Bytes of the next segment. */
  private get nextBytes(): number {
    const least = this.budget.isShort ? maxChunkBytes : firstBytes
    return Math.min(this.segmentBytes, Math.max(least, Math.floor(sizeOf(this.list) / 8)))
  }

  /**
   * Takes the oldest segment out, if another one does not fit beside it and it has no reader: to write over its file
   * costs a fraction of what a new file does.
   */
  private unused(most: number): Segment | undefined {
    const [oldest] = this.list
    if (oldest?.readers !== 0 || sizeOf(this.list) + most <= this.maxBytes) return undefined
    oldest.readers = undefined
    this.list.shift()
    this.budget.leave(oldest)
    return oldest
  }

  private cut({ segment, output, index }: Open): Effect.Effect<void> {
    const cutting = Effect.andThen(
      Effect.ignore(index.truncate(segment.chunks * recordBytes)),
      Effect.ignore(output.truncate(segment.bytes)),
    )
    segment.size = usedOf(segment)
    if (segment.chunks > 0) return Effect.andThen(cutting, this.budget.grown(segment))
    // A segment without a chunk is none.
    this.budget.leave(segment)
    return Effect.andThen(cutting, this.drop(segment))
  }
}

const isFull = ({ reason }: HistoryError): boolean => reason === "Full"

const usedOf = ({ bytes, chunks }: Segment): number => bytes + chunks * recordBytes

const sizeOf = (list: ReadonlyArray<Segment>): number => list.reduce((sum, { size }) => sum + size, 0)

/** An eighth of the whole, so that dropping one segment leaves most. */
export const segmentBytesOf = (maxBytes: number): number =>
  Math.min(mostSegmentBytes, Math.floor(maxBytes / 8))
