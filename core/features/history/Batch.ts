/** Chunks on their way to the files of a history: their bytes and their records, side by side. */
import { type Chunk, maxChunkBytes } from "../../process/Chunk.ts"
import { fitting } from "../../process/Doubling.ts"
import { giveBack, MemoryPool } from "../../protocol/MemoryPool.ts"
import * as Lines from "../../pattern/Lines.ts"
import * as Records from "./Records.ts"

/** Most bytes of output in a batch, unless a segment is smaller: 1 MiB. */
export const mostBatchBytes = 16 * maxChunkBytes

/** Most chunks in a batch. */
export const mostBatchChunks = 8192

/** Memory that is a batch's own: what more it needs is of the pool, while there is something to write. */
const ownBytes = maxChunkBytes / 2

/** The memory of the histories of one server: so much is kept unused for the next flood. */
export const toPool = (): MemoryPool => new MemoryPool(mostBatchBytes, 8)

/** Chunks that are written together. */
export interface Written {
  readonly chunks: number
  /** The first record; undefined if there is none. */
  readonly first: Records.Record | undefined
  readonly output: Uint8Array
  readonly index: Uint8Array
}

/** A batch. It grows to what it is given, and is used again and again. */
export class Batch implements Written {
  chunks = 0
  /** Bytes of output in it. */
  size = 0
  /** The first record; undefined while it is empty. */
  first: Records.Record | undefined
  /** Seq of the last chunk. */
  lastSeq = 0
  private bytes: Uint8Array = new Uint8Array(0)
  private records: Uint8Array = new Uint8Array(0)
  private readonly most: number
  private readonly pool: MemoryPool

  /** At most so many bytes, of which one chunk fits in any case. */
  constructor(most: number, pool: MemoryPool) {
    this.most = most
    this.pool = pool
  }

  /** True if the chunk does not fit. */
  isFull(bytes: number): boolean {
    return this.chunks > 0 && (this.size + bytes > this.most || this.chunks === mostBatchChunks)
  }

  /** Copies a chunk; returns how many lines end in it. */
  add({ seq, stream, bytes }: Chunk, byte: number, line: number, time: number): number {
    const at = this.chunks * Records.recordBytes
    this.bytes = this.grown(this.bytes, this.size, this.size + bytes.length)
    this.records = this.grown(this.records, at, at + Records.recordBytes)
    this.bytes.set(bytes, this.size)
    const record = { seq, byte, line, time, length: bytes.length, stream }
    Records.write(this.records, at, record)
    this.first ??= record
    this.lastSeq = seq
    const ends = Lines.count(this.bytes.subarray(this.size, this.size + bytes.length))
    this.size += bytes.length
    this.chunks += 1
    return ends
  }

  /** The output. */
  get output(): Uint8Array {
    return this.bytes.subarray(0, this.size)
  }

  /** Its records. */
  get index(): Uint8Array {
    return this.records.subarray(0, this.chunks * Records.recordBytes)
  }

  /** The same in parts of whole chunks: of at most so many bytes of output, but for a chunk that has more. */
  parts(most: number): ReadonlyArray<Written> {
    const { index, output } = this
    const parts: Array<Written> = []
    let [begin, from, to] = [0, 0, 0]
    let first = this.first
    for (let at = 0; at < this.chunks; at += 1) {
      const record = Records.read(index, at * Records.recordBytes)
      if (record === undefined) break
      if (at > begin && to + record.length - from > most) {
        parts.push(partOf(first, output.subarray(from, to), index, begin, at))
        ;[begin, from, first] = [at, to, record]
      }
      to += record.length
    }
    parts.push(partOf(first, output.subarray(from, to), index, begin, this.chunks))
    return parts
  }

  /** It is written. */
  clear(): void {
    ;[this.chunks, this.size, this.first] = [0, 0, undefined]
  }

  /** Nothing comes for now: gives back memory that is not needed for a little output. */
  rest(): void {
    if (this.chunks > 0) return
    this.bytes = small(this.bytes)
    this.records = small(this.records)
  }

  private grown(array: Uint8Array, used: number, needed: number): Uint8Array {
    if (needed <= array.length) return array
    const size = fitting(needed, 1024)
    const next = size <= ownBytes ? new Uint8Array(size) : this.pool.take(Math.max(size, mostBatchBytes))
    next.set(array.subarray(0, used))
    giveBack(array)
    return next
  }
}

const partOf = (
  first: Records.Record | undefined,
  output: Uint8Array,
  index: Uint8Array,
  from: number,
  to: number,
): Written => ({
  first,
  output,
  index: index.subarray(from * Records.recordBytes, to * Records.recordBytes),
  chunks: to - from,
})

const small = (array: Uint8Array): Uint8Array => {
  if (array.length <= ownBytes) return array
  giveBack(array)
  return new Uint8Array(0)
}
