/**
 * An `OutputLog` in memory: the bytes in one circular buffer, and a table of the chunks in circular columns.
 *
 * A chunk costs its own bytes plus 17, whatever buffer it was read into; a process without output costs nothing. The
 * buffer and the columns double up to what the capacity needs, and shrink when other logs need the memory. A chunk is
 * evicted when what remains without it fills the capacity, so that many bytes can always be read, and at most one chunk
 * more.
 */
import type { OutputStream } from "../spawn/Spawner.ts"
import { maxChunkBytes, mostPinned, type Capacity, type Chunk, type Cursor } from "./Chunk.ts"
import { fitting } from "./Doubling.ts"
import type { Metrics } from "./Metrics.ts"
import type { Retained, Retention } from "./Retention.ts"

/** A buffer of at most so many bytes is shed as a whole. */
const smallest = 4096

const streams: ReadonlyArray<OutputStream> = ["stdout", "stderr", "pty"]

/** The place of one reader: the last seq that it has. */
interface ReaderPlace {
  seq: number
}

/** The readers of one log. */
class Readers {
  private readonly places = new Set<ReaderPlace>()

  /** One more, which has everything up to and including `seq`. */
  add(seq: number): ReaderPlace {
    const place = { seq }
    this.places.add(place)
    return place
  }

  /** One has left. */
  remove(place: ReaderPlace): void {
    this.places.delete(place)
  }

  /** The seq up to which all of them have everything; Infinity without readers. */
  get delivered(): number {
    let delivered = Infinity
    for (const { seq } of this.places) delivered = Math.min(delivered, seq)
    return delivered
  }
}

/** Its members are documented in `OutputLog`, whose `make` returns it, and in `Retained`. */
export class Ring implements Retained {
  evicting: ((bytes: number) => void) | undefined
  private readonly capacity: Capacity
  private readonly most: number
  private retention: Retention | undefined
  private readonly metrics: Metrics
  /** Bytes of memory that `retention` knows of. */
  private counted = 0
  private readonly readers = new Readers()
  private data = new Uint8Array(0)
  /** Columns of the chunks: seq, offset of the first byte in the whole output, index of the stream. */
  private seqs = new Float64Array(0)
  private offsets = new Float64Array(0)
  private kinds = new Uint8Array(0)
  /** Row of the oldest chunk, and the number of chunks. */
  private row = 0
  private chunks = 0
  /** The index of the oldest byte in `data`; its offset in the whole output, and the offset of the end. */
  private place = 0
  private begin = 0
  private end = 0
  private next = 1

  constructor(capacity: Capacity, retention: Retention, metrics: Metrics) {
    this.capacity = capacity
    this.most = Math.min(maxChunkBytes, Math.max(1, capacity.bytes))
    this.retention = retention
    this.metrics = metrics
  }

  nextSeq(): number {
    return this.next
  }

  take(): number {
    return this.next++
  }

  skip(seq: number): void {
    this.next = Math.max(this.next, seq)
  }

  append(stream: OutputStream, bytes: Uint8Array): void {
    const kind = streams.indexOf(stream)
    const { most } = this
    if (bytes.length <= most) return this.push(kind, bytes)
    for (let at = 0; at < bytes.length; at += most) this.push(kind, bytes.subarray(at, at + most))
  }

  after(seq: number): Chunk | undefined {
    const index = this.indexAfter(seq)
    if (index === this.chunks) return undefined
    const row = this.rowAt(index)
    return {
      kind: "output",
      seq: this.seqs[row] ?? 0,
      stream: streams[this.kinds[row] ?? 0] ?? "stdout",
      bytes: this.view(this.offsets[row] ?? 0, this.offsetAt(index + 1)),
    }
  }

  attach(seq: number): Cursor {
    const mark = this.readers.add(seq)
    return {
      seq: () => mark.seq,
      advance: (seq) => {
        mark.seq = seq
        this.evict(0, 0)
      },
      lag: () => this.end - this.offsetAt(this.indexAfter(mark.seq)),
      detach: () => {
        this.readers.remove(mark)
        this.evict(0, 0)
      },
    }
  }

  finish(): void {
    this.retention?.closed(this)
  }

  leave(): void {
    this.retention?.forget(this)
    this.retention = undefined
  }

  left(): boolean {
    return this.retention === undefined
  }

  unread(): number {
    return this.end - this.offsetAt(this.indexAfter(this.readers.delivered))
  }

  written(): number {
    return this.end
  }

  size() {
    return { bytes: this.end - this.begin, chunks: this.chunks, reserved: this.reserved() }
  }

  reserved(): number {
    return this.data.length + this.seqs.byteLength + this.offsets.byteLength + this.kinds.byteLength
  }

  shed(everything: boolean): void {
    const all = everything || this.data.length <= smallest
    this.evict(
      0,
      0,
      all ? { bytes: 0, chunks: 0 } : { bytes: this.data.length >> 1, chunks: this.seqs.length >> 1 },
    )
    this.resize(fitting(this.end - this.begin, 256), fitting(this.chunks, 8))
    this.count()
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
    this.retention?.written(this)
    this.count()
  }

  /** Reports a change of the reserved memory. `retention` may make this log shed some at once. */
  private count(): void {
    const change = this.reserved() - this.counted
    if (change === 0) return
    this.counted += change
    this.retention?.changed(this, change)
  }

  /** Evicts the oldest chunks until so many more bytes and chunks fit, or until a cursor needs the oldest one. */
  private evict(bytes: number, chunks: number, limits?: Capacity): void {
    if (!this.exceeds(limits, bytes, chunks)) return
    const { delivered } = this.readers
    while (this.chunks > 0 && this.exceeds(limits, bytes, chunks)) {
      const isDelivered = (this.seqs[this.row] ?? 0) <= delivered
      if (!isDelivered && !this.exceeds(mostPinned, bytes, chunks)) return
      const offset = this.offsetAt(1)
      this.metrics.evictedBytes.value += offset - this.begin
      this.evicting?.(offset - this.begin)
      this.place = (this.place + (offset - this.begin)) % this.data.length
      this.begin = offset
      this.row = this.rowAt(1)
      this.chunks -= 1
    }
  }

  /**
   * True if the retained output and so much more exceed these limits; without limits, if they exceed the capacity and
   * fill it also without the oldest chunk.
   */
  private exceeds(limits: Capacity | undefined, bytes: number, chunks: number): boolean {
    const held = this.end - this.begin + bytes
    const most = limits ?? this.capacity
    if (this.chunks + chunks > most.chunks) return true
    if (held <= most.bytes) return false
    return limits !== undefined || this.end - this.offsetAt(1) + bytes >= most.bytes
  }

  /** Grows the memory so that one more chunk of so many bytes fits. */
  private reserve(bytes: number): void {
    const held = this.end - this.begin + bytes
    const full = this.capacity.bytes + this.most
    const grown = held > this.data.length ? fitting(held, Math.max(256, this.data.length)) : this.data.length
    const size = held <= full ? Math.max(this.data.length, Math.min(grown, full)) : grown
    this.resize(size, this.chunks < this.seqs.length ? this.seqs.length : Math.max(8, this.seqs.length * 2))
  }

  /** Moves the retained output into a buffer and columns of these sizes. */
  private resize(size: number, rows: number): void {
    if (size !== this.data.length) {
      const data = new Uint8Array(size)
      data.set(this.view(this.begin, this.end))
      this.data = data
      this.place = 0
    }
    if (rows === this.seqs.length) return
    const [seqs, offsets, kinds] = [new Float64Array(rows), new Float64Array(rows), new Uint8Array(rows)]
    for (let index = 0; index < this.chunks; index++) {
      const row = this.rowAt(index)
      seqs[index] = this.seqs[row] ?? 0
      offsets[index] = this.offsets[row] ?? 0
      kinds[index] = this.kinds[row] ?? 0
    }
    ;[this.seqs, this.offsets, this.kinds, this.row] = [seqs, offsets, kinds, 0]
  }

  /** The bytes between two offsets: a view, or a copy if they wrap around. */
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

  /** Offset of the chunk of that index; the end if there is none. */
  private offsetAt(index: number): number {
    return index >= this.chunks ? this.end : (this.offsets[this.rowAt(index)] ?? this.end)
  }

  /** Index, counted from the oldest, of the first chunk with a seq above `seq`. */
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
