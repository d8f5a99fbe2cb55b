/**
 * The ring: the only copy of a process's output, with the numbers that order it.
 *
 * Bytes live in one circular buffer and chunks in circular columns beside it, so a chunk costs what it
 * holds plus 17 bytes, whatever slab it was read into, and an idle process costs nothing. Both grow by
 * doubling up to what the limits need. `append` gives out `seq`; exited and closed take theirs from the
 * same counter through `take`. Whole chunks leave at the old end while a limit is exceeded, but none
 * that an attached cursor still has to deliver: back-pressure, not eviction, bounds those.
 */
import type { OutputStream } from "../spawn/Spawner.ts"
import * as Metrics from "./Metrics.ts"

/** How much a log retains. */
export interface Limits {
  readonly bytes: number
  readonly chunks: number
}

/** Limits as in the peer implementation, per process: 1 MiB and 50,000 chunks. */
export const defaultLimits: Limits = { bytes: 1024 * 1024, chunks: 50_000 }

/** Largest chunk that `append` makes of what it is given, in bytes: 64 KiB, the size of one read. */
export const maxChunkBytes = 64 * 1024

/**
 * Most that is kept for cursors beyond the limits, where a child cannot be paused: 16 MiB, 800,000 chunks.
 * Cursors that lag further lose the oldest output.
 */
const mostPinned: Limits = { bytes: 16 * 1024 * 1024, chunks: 800_000 }

/** One piece of output. `bytes` may be a view of the ring: it is valid until the next `append`. */
export interface Chunk {
  readonly seq: number
  readonly stream: OutputStream
  readonly bytes: Uint8Array
}

/** The place of a reader that must miss nothing: what lies behind it is not evicted while it is attached. */
export interface Cursor {
  /** The last seq delivered. */
  readonly seq: () => number
  readonly advance: (seq: number) => void
  /** Bytes that wait to be delivered. */
  readonly lag: () => number
  readonly detach: () => void
}

export interface OutputLog {
  /** The seq that is given out next; the first is 1. */
  readonly nextSeq: () => number
  /** Copies output in, as one chunk for each `maxChunkBytes`. */
  readonly append: (stream: OutputStream, bytes: Uint8Array) => void
  /** Takes a seq for an event that is no output. */
  readonly take: () => number
  /** The oldest retained chunk with a seq above `seq`. */
  readonly after: (seq: number) => Chunk | undefined
  /** Attaches a reader that has everything up to and including `seq`. */
  readonly attach: (seq: number) => Cursor
  /** What is retained, and the bytes of memory reserved for it. */
  readonly size: () => { readonly bytes: number; readonly chunks: number; readonly reserved: number }
}

export const make = (limits: Limits = defaultLimits): OutputLog => new Ring(limits)

const streams: ReadonlyArray<OutputStream> = ["stdout", "stderr", "pty"]

class Ring implements OutputLog {
  private readonly limits: Limits
  private readonly cursors = new Set<Mark>()
  private data = new Uint8Array(0)
  /** Columns of the chunks: seq, first byte counted from the first of all, stream. */
  private seqs = new Float64Array(0)
  private offsets = new Float64Array(0)
  private kinds = new Uint8Array(0)
  /** Row of the oldest chunk, and how many there are. */
  private row = 0
  private chunks = 0
  /** Place of the oldest byte in the circle, its number counted from the first of all, and the end. */
  private place = 0
  private begin = 0
  private end = 0
  private next = 1

  constructor(limits: Limits) {
    this.limits = limits
  }

  nextSeq(): number {
    return this.next
  }

  take(): number {
    return this.next++
  }

  append(stream: OutputStream, bytes: Uint8Array): void {
    const kind = streams.indexOf(stream)
    const most = Math.min(maxChunkBytes, Math.max(1, this.limits.bytes))
    if (bytes.length <= most) return this.push(kind, bytes)
    for (let at = 0; at < bytes.length; at += most) this.push(kind, bytes.subarray(at, at + most))
  }

  after(seq: number): Chunk | undefined {
    const index = this.indexAfter(seq)
    if (index === this.chunks) return undefined
    const row = this.rowAt(index)
    return {
      seq: this.seqs[row] ?? 0,
      stream: streams[this.kinds[row] ?? 0] ?? "stdout",
      bytes: this.view(this.offsets[row] ?? 0, this.offsetAt(index + 1)),
    }
  }

  attach(seq: number): Cursor {
    const mark: Mark = { seq }
    this.cursors.add(mark)
    return {
      seq: () => mark.seq,
      advance: (seq) => {
        mark.seq = seq
        this.evict(0, 0)
      },
      lag: () => this.end - this.offsetAt(this.indexAfter(mark.seq)),
      detach: () => {
        this.cursors.delete(mark)
        this.evict(0, 0)
      },
    }
  }

  size() {
    const columns = this.seqs.byteLength + this.offsets.byteLength + this.kinds.byteLength
    return { bytes: this.end - this.begin, chunks: this.chunks, reserved: this.data.length + columns }
  }

  private push(kind: number, bytes: Uint8Array): void {
    this.evict(bytes.length, 1)
    this.reserve(bytes.length)
    const row = this.rowAt(this.chunks)
    this.seqs[row] = this.take()
    this.offsets[row] = this.end
    this.kinds[row] = kind
    this.chunks += 1
    const at = (this.place + (this.end - this.begin)) % this.data.length
    const head = Math.min(bytes.length, this.data.length - at)
    this.data.set(head === bytes.length ? bytes : bytes.subarray(0, head), at)
    if (head < bytes.length) this.data.set(bytes.subarray(head), 0)
    this.end += bytes.length
  }

  /** Drops whole oldest chunks until so many more bytes and chunks fit, or a cursor still needs them. */
  private evict(bytes: number, chunks: number): void {
    const exceeds = (most: Limits) =>
      this.end - this.begin + bytes > most.bytes || this.chunks + chunks > most.chunks
    if (!exceeds(this.limits)) return
    let delivered = Infinity
    for (const { seq } of this.cursors) delivered = Math.min(delivered, seq)
    const isFree = () => (this.seqs[this.row] ?? 0) <= delivered || exceeds(mostPinned)
    while (this.chunks > 0 && exceeds(this.limits) && isFree()) {
      const offset = this.offsetAt(1)
      Metrics.totals.evictedBytes += offset - this.begin
      this.place = (this.place + (offset - this.begin)) % this.data.length
      this.begin = offset
      this.row = this.rowAt(1)
      this.chunks -= 1
    }
  }

  /** Makes room for one more chunk of so many bytes. */
  private reserve(bytes: number): void {
    const held = this.end - this.begin
    if (held + bytes > this.data.length) {
      let size = Math.max(256, this.data.length)
      while (size < held + bytes) size *= 2
      const data = new Uint8Array(size)
      data.set(this.view(this.begin, this.end))
      this.data = data
      this.place = 0
    }
    if (this.chunks < this.seqs.length) return
    const rows = Math.max(8, this.seqs.length * 2)
    const [seqs, offsets, kinds] = [new Float64Array(rows), new Float64Array(rows), new Uint8Array(rows)]
    for (let index = 0; index < this.chunks; index++) {
      const row = this.rowAt(index)
      seqs[index] = this.seqs[row] ?? 0
      offsets[index] = this.offsets[row] ?? 0
      kinds[index] = this.kinds[row] ?? 0
    }
    ;[this.seqs, this.offsets, this.kinds, this.row] = [seqs, offsets, kinds, 0]
  }

  /** Bytes from one offset to another, contiguous: a view, or a copy where they wrap around. */
  private view(from: number, to: number): Uint8Array {
    const length = to - from
    const at = this.data.length === 0 ? 0 : (this.place + (from - this.begin)) % this.data.length
    if (at + length <= this.data.length) return this.data.subarray(at, at + length)
    const copy = new Uint8Array(length)
    const head = this.data.length - at
    copy.set(this.data.subarray(at))
    copy.set(this.data.subarray(0, length - head), head)
    return copy
  }

  private rowAt(index: number): number {
    return this.seqs.length === 0 ? 0 : (this.row + index) % this.seqs.length
  }

  /** Where the chunk of that index begins; behind the last one, the end. */
  private offsetAt(index: number): number {
    return index >= this.chunks ? this.end : (this.offsets[this.rowAt(index)] ?? this.end)
  }

  /** Index, from the oldest, of the first chunk with a seq above `seq`. */
  private indexAfter(seq: number): number {
    let [low, high] = [0, this.chunks]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.seqs[this.rowAt(middle)] ?? 0) > seq) high = middle
      else low = middle + 1
    }
    return low
  }
}

interface Mark {
  seq: number
}
