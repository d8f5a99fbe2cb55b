/**
 * The truth about a child: every piece of output in its order, the bytes that it was given, its exit. The clients' view
 * is compared with it.
 */
import { mostBatchChunks } from "../../core/features/history/Batch.ts"
import { recordBytes } from "../../core/features/history/Records.ts"
import type { Found } from "../../core/features/marks/Marks.ts"
import type { EndedBy } from "../../core/protocol/Ending.ts"
import type { OutputStream } from "../../core/spawn/Spawner.ts"
import { Noise } from "./Noise.ts"
import type { Roles } from "./Roles.ts"

/** One chunk of output, as the log must make it; or a mark behind it, which has no length. */
export interface Piece {
  readonly stream: OutputStream
  /** Place in the whole output of the child. */
  readonly offset: number
  readonly length: number
  /** When the child wrote it. */
  readonly at: number
  /** The mark that it is. */
  readonly mark?: Found | undefined
}

/** Observer of a child: of its acts, and of what is done to it. */
export interface Witness {
  readonly spawned: () => void
  readonly wrote: () => void
  readonly signalled: (name: string) => void
  readonly killed: () => void
  /** The fault in the words of its exit; undefined if they are right. */
  readonly endFault: (endedBy: EndedBy | undefined) => string | undefined
}

/** Output that is read so many milliseconds after the exit was in the pipe before it. */
const quietMillis = 10

/** Milliseconds that a write may take besides. */
const slack = 1000

const mostChunk = 64 * 1024

export class Truth {
  readonly key: string
  readonly pieces: Array<Piece> = []
  /** When the child was spawned, exited, and had ended every stream. */
  spawnedAt: number | undefined
  exitedAt: number | undefined
  endedAt: number | undefined
  /** Since when it is read; Infinity while it is paused. */
  readSince = 0
  /** Its holder has waited in vain for a server. */
  expired = false
  /** Its scope begins to close. */
  closingAt: number | undefined
  /** Its scope is closed: nothing of it may be left. */
  releasedAt: number | undefined
  /** The number of pieces that it had written when it exited. */
  exitedAfter: number | undefined
  /** The code that the wire must tell. */
  exitCode: number | undefined
  /** Seqs that were reported to clients, in which all must agree. */
  exitedSeq: number | undefined
  closedSeq: number | undefined
  /** A client has asked for its end, or has given up its start. */
  endWantedAt: number | undefined
  /** A client has sent a terminate, or may have. */
  endAsked = false
  /** Writes in the order in which the client has called them, each with how often it had lost a connection by then. */
  readonly asked: Array<{ readonly number: number; readonly lost: number; readonly by?: string }> = []
  /** When the answer that a write is accepted came to the client, by its number. */
  readonly accepted = new Map<number, number>()
  /** When it reads stdin: from when on, until when, and for how long each write. */
  reads = { from: 0, until: Infinity, each: 0 }
  /** The numbers of the writes that it has read, in its order. */
  readonly written: Array<number> = []
  /** Starts that have reached the spawner. */
  spawns = 0
  total = 0
  killedAt: number | undefined
  died: boolean | undefined
  witness: Witness | undefined
  /** Somebody who looks on may have it wait. */
  blocked = false
  /** Its roles, where others may write. */
  roles: Roles | undefined
  /** The marks in its output are reported. */
  marked = false
  /** Most bytes of its history, if it has one that nothing but its size ends. */
  historyBytes: number | undefined
  /** A mark under way: where it ends. */
  private mark: { readonly stream: OutputStream; readonly end: number; readonly tells: Found } | undefined
  /** All that it will ever write. */
  readonly noise: Noise

  /** `kind` is what it writes. */
  constructor(key: string, kind?: "bytes" | "text") {
    this.key = key
    this.noise = new Noise(key, kind)
  }

  /** The next output of the child. */
  write(stream: OutputStream, length: number, at: number): Uint8Array {
    const bytes = this.noise.bytes(this.total, length)
    const end = this.total + length
    while (this.mark !== undefined && this.mark.stream === stream && this.mark.end <= end) {
      const { mark } = this
      this.mark = undefined
      this.cut(stream, mark.end, at)
      this.pieces.push({ stream, offset: mark.end, length: 0, at, mark: mark.tells })
    }
    this.cut(stream, end, at)
    return bytes
  }

  /** The next output will be these bytes, which are a mark, perhaps. */
  willWrite(stream: OutputStream, bytes: Uint8Array, tells: Found | undefined): void {
    this.noise.patch(this.total, bytes)
    if (this.marked && tells !== undefined) this.mark = { stream, end: this.total + bytes.length, tells }
  }

  /** Chunks up to that place. */
  private cut(stream: OutputStream, end: number, at: number): void {
    while (this.total < end) {
      const length = Math.min(mostChunk, end - this.total)
      this.pieces.push({ stream, offset: this.total, length, at })
      this.total += length
    }
  }

  /** True when the child has exited and every stream is at EOF. */
  get closed(): boolean {
    return this.exitedAt !== undefined && this.endedAt !== undefined
  }

  /** The fault of a chunk of that seq; undefined if the child wrote it there. */
  fault(seq: number, stream: OutputStream, bytes: Uint8Array): string | undefined {
    const after = this.exitedSeq === undefined ? undefined : this.exitedSeq < seq
    if (after !== true && this.matches(seq - 1, stream, bytes)) return undefined
    if (after !== false && this.exitedAt !== undefined && this.matches(seq - 2, stream, bytes))
      return undefined
    return `seq ${seq} of ${this.key} is not what the child wrote there: ${bytes.length} bytes of ${stream}`
  }

  /** The fault of a part of the chunk of that seq, at a place in the whole output. */
  partFault(seq: number, stream: OutputStream, bytes: Uint8Array, at: number): string | undefined {
    const indexes = this.exitedAt === undefined ? [seq - 1] : [seq - 1, seq - 2]
    const known = indexes.some((index) => {
      const piece = this.pieces[index]
      if (piece === undefined || piece.stream !== stream) return false
      return at >= piece.offset && at + bytes.length <= piece.offset + piece.length
    })
    if (known && bytes.length > 0 && this.noise.equals(at, bytes)) return undefined
    return `seq ${seq} of ${this.key} is not what the child wrote at ${at}: ${bytes.length} bytes of ${stream}`
  }

  /** The fault of a mark of that seq. */
  markFault(seq: number, { kind, exitCode, cwd }: Found): string | undefined {
    const told = [seq - 1, ...(this.exitedAt === undefined ? [] : [seq - 2])]
    const same = told.some((index) => {
      const mark = this.pieces[index]?.mark
      return mark?.kind === kind && mark.exitCode === exitCode && mark.cwd === cwd
    })
    return same ? undefined : `seq ${seq} of ${this.key} is no ${kind} (${exitCode}, ${cwd})`
  }

  /** A write that was called after that one, by the same client on the same connection, and was read before it. */
  overtakes(number: number): number | undefined {
    const place = this.asked.findIndex((call) => call.number === number)
    const { lost, by } = this.asked[place] ?? {}
    const later = this.asked.slice(place + 1).filter((call) => call.lost === lost && call.by === by)
    return later.find((call) => this.written.includes(call.number))?.number
  }

  /** A write that was accepted, that it has had the time to read until `now`, and that it has not got. */
  unread(now: number): number | undefined {
    const { reads, exitedAt = now, releasedAt = now, asked } = this
    const until = Math.min(now, exitedAt, releasedAt, reads.until)
    for (const [number, at] of this.accepted) {
      const by = Math.max(at, reads.from) + reads.each * asked.length + slack
      if (by < until && !this.written.includes(number)) return number
    }
    return undefined
  }

  /** The fault of an exit of that seq. */
  exitFault(seq: number, code: number): string | undefined {
    if (this.exitedAt === undefined) return `${this.key} is told to have exited, and runs`
    if (code !== this.exitCode) return `${this.key} exited with ${this.exitCode}, and ${code} is told`
    if (this.exitedSeq !== undefined && this.exitedSeq !== seq)
      return `${this.key} exited at seq ${this.exitedSeq}, and at ${seq}`
    const before = this.pieces.filter(({ at }) => at < (this.exitedAt ?? 0) + quietMillis).length
    if (seq - 1 < before) return `${this.key} wrote ${before} chunks before exited, seq ${seq}`
    if (seq - 1 > this.pieces.length) return `seq ${seq} of exited of ${this.key} is too high`
    this.exitedSeq = seq
    return undefined
  }

  /** The fault of a closed of that seq. */
  closedFault(seq: number): string | undefined {
    if (!this.closed) return `${this.key} is told to be closed, and is not`
    if (seq !== this.pieces.length + 2)
      return `closed of ${this.key} has seq ${seq} after ${this.pieces.length} chunks and exited`
    this.closedSeq = seq
    return undefined
  }

  /** True if a log of that capacity, and a history, may have dropped the event of a seq by now: marks go with output. */
  mayBeGone(seq: number, capacity: { readonly bytes: number; readonly chunks: number }): boolean {
    if (seq === this.exitedSeq) return true
    const indexes = this.exitedAt === undefined ? [seq - 1] : [seq - 1, seq - 2]
    return indexes.some((index) => {
      const piece = this.pieces[index]
      if (piece === undefined) return false
      const after = this.total - piece.offset - piece.length
      const leftLog = after >= capacity.bytes || this.chunksAfter(index) >= capacity.chunks
      return leftLog && this.mayHaveLeftHistory(index)
    })
  }

  /** True if the history may have dropped the piece of an index by now, or has never had it. */
  mayHaveLeftHistory(index: number): boolean {
    const { historyBytes: most, pieces, total } = this
    if (most === undefined) return true
    const left = total - (pieces[index]?.offset ?? total) + (this.chunksAfter(index) + 1) * recordBytes
    // It goes with its segment, of which it may be the last, and over whose file a new one begins.
    return left >= most - (most / 8 + Math.min(index, mostBatchChunks) * recordBytes) * 2
  }

  private chunksAfter(index: number): number {
    const after = this.pieces.length - index - 1
    if (!this.marked) return after
    return this.pieces.slice(index + 1).filter(({ mark }) => mark === undefined).length
  }

  private matches(index: number, stream: OutputStream, bytes: Uint8Array): boolean {
    const piece = this.pieces[index]
    if (piece === undefined || piece.stream !== stream || piece.length !== bytes.length) return false
    return this.noise.equals(piece.offset, bytes)
  }
}
