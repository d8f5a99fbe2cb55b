/**
 * A child of a holder, and what the next server has to be told of it: the latest output in chunks, each with a number;
 * the ends and the exit behind the chunk after which they came; and the seqs of chunks as far as they are not one more
 * than that of the chunk before.
 */
import { defaults } from "../../../core/protocol/Limits.ts"
import * as OutputLog from "../../../core/process/OutputLog.ts"
import { WriteIds } from "../../../core/process/StdinQueue.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as HolderWire from "./HolderWire.ts"

/**
 * The output that is retained: as much as a server retains, and what a reader of the server may lag behind, so that
 * the next server can give all that the one before could.
 */
const capacity: OutputLog.Capacity = {
  bytes: defaults.retainedBytes + 256 * 1024,
  chunks: defaults.retainedChunks + 12_500,
}

/** An end or the exit, behind the chunk of that number. */
interface Mark {
  readonly after: number
  readonly frame: Buffer
}

/** Takes frames about the child. */
export type Send = (frame: Buffer) => void

export class HeldChild {
  /** The last note; undefined if the child ends with its server. */
  note: HolderWire.Note | undefined
  /** A server has heard of the exit and all ends. */
  told = false
  /** The size of its terminal. */
  size: Spawner.TerminalSize | undefined
  /** The writes of clients that it was given. */
  readonly writeIds = new WriteIds()
  /** The server, if it has one. */
  send: Send | undefined
  /** The spawner's handle, once the child is started. */
  handle: Spawner.ChildHandle | undefined
  /** True while the server does not want output, and while the handle reads none. */
  unwanted = false
  paused = false
  /** Called at the last of them. */
  onEnded = (): void => {}
  readonly lost = { stdout: 0, stderr: 0, pty: 0 }
  readonly number: number
  readonly pty: boolean
  private readonly log = OutputLog.make(capacity)
  private readonly marks: Array<Mark> = []
  private readonly places: Array<readonly [n: number, seq: number]> = []
  private missing: number
  private endedAtMs: number | undefined

  constructor(number: number, stdio: Spawner.Stdio) {
    this.number = number
    this.pty = stdio.kind === "pty"
    this.size = stdio.kind === "pty" ? stdio.size : undefined
    // The exit, and the end of each stream.
    this.missing = this.pty ? 2 : 3
    this.log.evicting = (bytes) => {
      const oldest = this.log.after(0)
      if (oldest !== undefined) this.lost[oldest.stream] += bytes
    }
  }

  readonly events: Spawner.SpawnEvents = {
    output: (stream, bytes) => {
      const most = OutputLog.maxChunkBytes
      for (let at = 0; at < bytes.length; at += most) this.push(stream, bytes.subarray(at, at + most))
    },
    end: (stream) =>
      this.mark(
        HolderWire.frame(
          HolderWire.kinds.end,
          this.number,
          Uint8Array.of(HolderWire.streams.indexOf(stream)),
        ),
      ),
    exit: (status, ending) => {
      this.endedAtMs = Date.now()
      const exited: HolderWire.Exited = { status, ...(ending === undefined ? {} : { ending }) }
      this.mark(HolderWire.json(HolderWire.kinds.exit, this.number, exited))
    },
  }

  /** True after the exit and all ends. */
  get ended(): boolean {
    return this.missing === 0
  }

  /** The server has given chunk `n` this seq. */
  placed(n: number, seq: number): void {
    // A server that adopts tells of no chunk twice, and of none before the last one that was told.
    while ((this.places.at(-1)?.[0] ?? -1) >= n) this.places.pop()
    this.places.push([n, seq])
    const first = this.log.after(0)?.seq ?? n
    while (this.places.length > 1 && (this.places[1]?.[0] ?? Infinity) <= first) this.places.shift()
  }

  /** The server has told of the exit behind chunk `n`, because it has paused the output. */
  exitAfter(n: number): void {
    const at = this.marks.findIndex(({ frame }) => frame[4] === HolderWire.kinds.exit)
    const [exit] = at < 0 ? [] : this.marks.splice(at, 1)
    if (exit === undefined) return
    const place = this.marks.findIndex(({ after }) => after > n)
    this.marks.splice(place < 0 ? this.marks.length : place, 0, { ...exit, after: n })
  }

  /** Sends everything that is retained, in its order. */
  replay(send: Send): void {
    let mark = 0
    const marksUpTo = (n: number) => {
      for (; (this.marks[mark]?.after ?? Infinity) < n; mark++) send(this.marks[mark]!.frame)
    }
    let expected = 1
    for (let chunk = this.log.after(0); chunk !== undefined; chunk = this.log.after(chunk.seq)) {
      marksUpTo(chunk.seq)
      const seq = this.seqOf(chunk.seq)
      if (seq !== expected) send(HolderWire.place(HolderWire.kinds.skip, this.number, chunk.seq, seq))
      expected = seq + 1
      send(HolderWire.output(this.number, chunk.seq, chunk.stream, chunk.bytes))
    }
    marksUpTo(Infinity)
  }

  /** The facts of the child for the next server. */
  left(): HolderWire.LeftChild {
    const { endedAtMs, lost, note, pty, size, writeIds } = this
    return { about: note?.about ?? "", lost, pty, size, endedAtMs, writeIds: writeIds.list() }
  }

  private seqOf(n: number): number {
    let known: readonly [number, number] = [0, 0]
    for (const place of this.places) if (place[0] <= n) known = place
    return known[1] + (n - known[0])
  }

  private push(stream: Spawner.OutputStream, bytes: Uint8Array): void {
    const n = this.log.nextSeq()
    this.log.append(stream, bytes)
    this.send?.(HolderWire.output(this.number, n, stream, bytes))
  }

  private mark(frame: Buffer): void {
    this.marks.push({ after: this.log.nextSeq() - 1, frame })
    this.send?.(frame)
    this.missing -= 1
    if (this.ended) this.onEnded()
  }
}
