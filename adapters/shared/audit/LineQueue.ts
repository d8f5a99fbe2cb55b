/** Lines on their way to a file, in order. Those that nobody waits for are bounded: the oldest are dropped first. */
import type * as Deferred from "effect/Deferred"
import type { LineError } from "./LineError.ts"

/** A line that is to be written. */
export interface Line {
  readonly text: string
  /** Completed with what becomes of the line; undefined if nobody waits for it. */
  readonly done?: Deferred.Deferred<void, LineError>
}

export class LineQueue {
  private lines: Array<Line> = []
  private readonly most: number

  /** At most `most` UTF-16 units are put back. */
  constructor(most: number) {
    this.most = most
  }

  get length(): number {
    return this.lines.length
  }

  add(line: Line): void {
    this.lines.push(line)
  }

  /** Takes a line out, if it is there. */
  remove(line: Line): void {
    const at = this.lines.indexOf(line)
    if (at >= 0) this.lines.splice(at, 1)
  }

  /** Empties the queue. */
  takeAll(): ReadonlyArray<Line> {
    const taken = this.lines
    this.lines = []
    return taken
  }

  /** Puts lines that nobody waits for before all others; returns how many had to be dropped. */
  putBack(lines: ReadonlyArray<Line>): number {
    let size = 0
    let kept = lines.length
    while (kept > 0 && (size += lines[kept - 1]?.text.length ?? 0) <= this.most) kept -= 1
    this.lines = [...lines.slice(kept), ...this.lines]
    return kept
  }
}
