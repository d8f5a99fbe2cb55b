/** Chunks on their way to the files of a history: their bytes and their records, side by side. */
import type { Chunk } from "../Chunk.ts"
import { maxChunkBytes } from "../Chunk.ts"
import { fitting } from "../Doubling.ts"
import * as Lines from "../../pattern/Lines.ts"
import * as Records from "./Records.ts"

/** Most bytes of output in a batch, unless a segment is smaller: 512 KiB. */
export const mostBatchBytes = 8 * maxChunkBytes

/** Most chunks in a batch. */
export const mostBatchChunks = 8192

/** Memory that is kept while nothing is written. */
const idleBytes = 64 * 1024

/** A batch. It grows to what it is given, and is used again and again. */
export class Batch {
  /** Chunks in it. */
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

  /** At most so many bytes, of which one chunk fits in any case. */
  constructor(most: number) {
    this.most = most
  }

  /** True if the chunk does not fit. */
  isFull(bytes: number): boolean {
    return this.chunks > 0 && (this.size + bytes > this.most || this.chunks === mostBatchChunks)
  }

  /** Copies a chunk; returns how many lines end in it. */
  add({ seq, stream, bytes }: Chunk, byte: number, line: number, time: number): number {
    const at = this.chunks * Records.recordBytes
    this.bytes = grown(this.bytes, this.size, this.size + bytes.length)
    this.records = grown(this.records, at, at + Records.recordBytes)
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

  /** It is written. */
  clear(): void {
    ;[this.chunks, this.size, this.first] = [0, 0, undefined]
  }

  /** Nothing comes for now: gives back memory that is not needed for a little output. */
  rest(): void {
    if (this.chunks > 0) return
    if (this.bytes.length > idleBytes) this.bytes = new Uint8Array(0)
    if (this.records.length > idleBytes) this.records = new Uint8Array(0)
  }
}

const grown = (array: Uint8Array, used: number, needed: number): Uint8Array => {
  if (needed <= array.length) return array
  const next = new Uint8Array(fitting(needed, 1024))
  next.set(array.subarray(0, used))
  return next
}
