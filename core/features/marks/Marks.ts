/**
 * The marks in the output of one process, for a process whose start has asked for them; no other process has this.
 *
 * Output is cut behind each mark, which takes the next seq of the log: so marks and output have one order, for every
 * reader. A mark is kept as long as the output in front of it, or behind it, in the log or in a history: what a history
 * has without its marks could not be told in order. The log bounds how many there are, because between two marks there
 * is always a chunk; of a history a bound of their own does.
 */
import type { OwnEvents } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import { firstThat } from "../../protocol/Sorted.ts"
import type { OutputStream, SpawnEvents } from "../../spawn/Spawner.ts"
import { type Found, MarkScanner } from "./MarkScanner.ts"
import type { Mark, Marked } from "./wire.ts"

/** The most marks that are kept because of a history: 50,000. */
export const mostOfHistory = 50_000

export class Marks implements OwnEvents {
  private readonly process: Process
  private readonly stream: OutputStream
  private readonly scanner = new MarkScanner()
  private marks: Array<Mark> = []

  /** Of a terminal, or of the stdout of a process on pipes: a shell behind `ssh -tt`, say. */
  constructor(process: Process) {
    this.process = process
    this.stream = process.stdio.kind === "pty" ? "pty" : "stdout"
  }

  /** The same events, with the output cut behind each mark, and the mark between the pieces. */
  around(events: SpawnEvents): SpawnEvents {
    return {
      ...events,
      output: (stream, bytes) => {
        if (stream !== this.stream) return events.output(stream, bytes)
        let from = 0
        this.scanner.read(bytes, (end, found) => {
          events.output(stream, bytes.subarray(from, end))
          from = end
          this.add(found)
        })
        if (from < bytes.length) events.output(stream, bytes.subarray(from))
      },
    }
  }

  after(seq: number): Marked | undefined {
    const mark = this.marks[this.indexAfter(seq)]
    if (mark === undefined) return undefined
    const { kind, ...rest } = mark
    return { kind: "mark", mark: kind, ...rest }
  }

  count(after: number, before: number): number {
    return this.indexAfter(before - 1) - this.indexAfter(after)
  }

  between(after: number, before: number): ReadonlyArray<Mark> {
    return this.marks.slice(this.indexAfter(after), this.indexAfter(before - 1))
  }

  private add(found: Found): void {
    const { process } = this
    if (process.closed !== undefined) return
    this.marks.push({ seq: process.log.take(), ...found })
    // A reader may have got the output in front of a mark, and not yet the mark.
    const goneFrom = (oldest: number) => this.indexAfter(oldest - 2)
    const ofLog = goneFrom(process.log.after(0)?.seq ?? process.log.nextSeq())
    const gone = Math.min(
      ofLog,
      Math.max(goneFrom(process.extension?.kept?.oldest() ?? Infinity), this.marks.length - mostOfHistory),
    )
    // Half of them at a time, so that each is moved once.
    if (gone > 0 && gone * 2 >= this.marks.length) this.marks = this.marks.slice(gone)
    process.wake()
  }

  private indexAfter(seq: number): number {
    return firstThat(this.marks, (mark) => mark.seq > seq)
  }
}
