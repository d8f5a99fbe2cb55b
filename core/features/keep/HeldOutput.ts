/**
 * The output of a child that outlives its servers, as its holder retains it: the latest chunks, each with a number from
 * 1; the ends and the exit, behind the chunk after which they came; and the seqs of chunks, as far as they are not one
 * more than that of the chunk before.
 */
import * as OutputLog from "../../process/OutputLog.ts"
import type * as Spawner from "../../spawn/Spawner.ts"

/** The server of a child, as it takes events: `n` is the number of a chunk. */
export interface Taker {
  readonly output: (n: number, stream: Spawner.OutputStream, bytes: Uint8Array) => void
  readonly end: (stream: Spawner.OutputStream) => void
  readonly exit: (status: Spawner.ExitStatus, ending?: Spawner.Ending) => void
}

/**
 * A server that takes a child over. It gets the seq of chunk `n`, also of the one that comes next, before the chunk,
 * unless that is one more than the last one.
 */
export interface Adopter extends Taker {
  readonly skip: (n: number, seq: number) => void
}

/** An end or the exit, behind the chunk of that number. */
interface Mark {
  readonly after: number
  readonly kind: "end" | "exit"
  readonly tell: (to: Taker) => void
}

export class HeldOutput {
  /** The server, if there is one. */
  taker: Taker | undefined
  /** Called behind the last of the exit and all ends. */
  onEnded = (): void => {}
  /** The bytes that were evicted, by stream. */
  readonly lost = { stdout: 0, stderr: 0, pty: 0 }
  private readonly log: OutputLog.OutputLog
  private readonly marks: Array<Mark> = []
  private readonly places: Array<readonly [n: number, seq: number]> = []
  /** The ends and the exit that have not come yet. */
  private missing: number

  /** @param pty true for a child on a terminal, which has one stream. */
  constructor(pty: boolean, capacity: OutputLog.Capacity) {
    this.missing = pty ? 2 : 3
    this.log = OutputLog.make(capacity)
    this.log.evicting = (bytes) => {
      const oldest = this.log.after(0)
      if (oldest !== undefined) this.lost[oldest.stream] += bytes
    }
  }

  /** The events of the child. */
  readonly events: Spawner.SpawnEvents = {
    output: (stream, bytes) => {
      const most = OutputLog.maxChunkBytes
      for (let at = 0; at < bytes.length; at += most) {
        const piece = bytes.subarray(at, at + most)
        const n = this.log.nextSeq()
        this.log.append(stream, piece)
        this.taker?.output(n, stream, piece)
      }
    },
    end: (stream) => this.mark("end", (to) => to.end(stream)),
    exit: (status, ending) => this.mark("exit", (to) => to.exit(status, ending)),
  }

  /** True after the exit and all ends. */
  get ended(): boolean {
    return this.missing === 0
  }

  /** The server has given chunk `n` this seq, or will give it. */
  placed(n: number, seq: number): void {
    // A server that adopts names no chunk twice, and none before the last one that was named.
    while ((this.places.at(-1)?.[0] ?? -1) >= n) this.places.pop()
    this.places.push([n, seq])
    const first = this.log.after(0)?.seq ?? n
    while (this.places.length > 1 && (this.places[1]?.[0] ?? Infinity) <= first) this.places.shift()
  }

  /** The server has published the exit behind chunk `n`, because it has paused the output. */
  exitAfter(n: number): void {
    const at = this.marks.findIndex(({ kind }) => kind === "exit")
    const [exit] = at < 0 ? [] : this.marks.splice(at, 1)
    if (exit === undefined) return
    const place = this.marks.findIndex(({ after }) => after > n)
    this.marks.splice(place < 0 ? this.marks.length : place, 0, { ...exit, after: n })
  }

  /** Tells everything that is retained, in its order. */
  replay(to: Adopter): void {
    let mark = 0
    const marksUpTo = (n: number) => {
      for (; (this.marks[mark]?.after ?? Infinity) < n; mark++) this.marks[mark]?.tell(to)
    }
    let expected = 1
    for (let chunk = this.log.after(0); chunk !== undefined; chunk = this.log.after(chunk.seq)) {
      marksUpTo(chunk.seq)
      const seq = this.seqOf(chunk.seq)
      if (seq !== expected) to.skip(chunk.seq, seq)
      expected = seq + 1
      to.output(chunk.seq, chunk.stream, chunk.bytes)
    }
    marksUpTo(Infinity)
    const next = this.log.nextSeq()
    if (this.seqOf(next) !== expected) to.skip(next, this.seqOf(next))
  }

  private seqOf(n: number): number {
    let known: readonly [number, number] = [0, 0]
    for (const place of this.places) if (place[0] <= n) known = place
    return known[1] + (n - known[0])
  }

  private mark(kind: Mark["kind"], tell: Mark["tell"]): void {
    this.marks.push({ after: this.log.nextSeq() - 1, kind, tell })
    this.missing -= 1
    if (this.taker !== undefined) tell(this.taker)
    if (this.ended) this.onEnded()
  }
}

/** The seqs that a server gives the chunks of a child. Each that is not one more than the last one is passed on. */
export class Places {
  /** Gives the seq of the next output; undefined as long as no other event can take one. */
  nextSeq: (() => number) | undefined
  /** The number and the seq of the last chunk. */
  private n = 0
  private seq = 0
  private readonly tell: (n: number, seq: number) => void

  /** `tell` is called with a chunk and its seq, as soon as that is known. */
  constructor(tell: (n: number, seq: number) => void) {
    this.tell = tell
  }

  /** The number of the last chunk. */
  get last(): number {
    return this.n
  }

  /** Chunk `n`, which comes next, has this seq. */
  skip(n: number, seq: number): void {
    this.n = n - 1
    this.seq = seq - 1
  }

  /** Chunk `n` comes. */
  take(n: number): void {
    this.n = n - 1
    this.moved()
    this.n = n
    this.seq += 1
  }

  /** Something else than an output may have taken a seq. */
  moved(): void {
    const seq = this.nextSeq?.() ?? this.seq + 1
    if (seq === this.seq + 1) return
    this.tell(this.n + 1, seq)
    this.seq = seq - 1
  }
}
