/** The sizes that a PTY has had, each with the last seq before it, so that its output can be painted again. */
import type { Stdio, TerminalSize } from "../spawn/Spawner.ts"
import type { OutputLog } from "./OutputLog.ts"

/** A size, which holds for the output above `after`. */
export interface SizeAt {
  /** The last seq before it. */
  readonly after: number
  /** The size from there on. */
  readonly size: TerminalSize
}

/** The most sizes that are kept. Beyond, the oldest are forgotten, as if the PTY had had the next one before. */
export const mostSizes = 1000

/** Pipes, or a PTY with its size, and with those before once it was resized or looked at. */
export type Sized = Stdio & { readonly sizes?: Sizes }

/** The sizes of one PTY. */
export class Sizes {
  private readonly log: Pick<OutputLog, "nextSeq">
  private readonly sizes: Array<SizeAt>

  constructor(log: Pick<OutputLog, "nextSeq">, first: TerminalSize) {
    this.log = log
    this.sizes = [{ after: 0, size: first }]
  }

  /** The PTY has this size from now on. One that no output had is forgotten. */
  note(size: TerminalSize): void {
    const after = this.log.nextSeq() - 1
    if (this.sizes.at(-1)?.after === after) this.sizes.pop()
    this.sizes.push({ after, size })
    if (this.sizes.length > mostSizes) this.sizes.shift()
  }

  /** The size of the output above `seq`. */
  at(seq: number): TerminalSize {
    const found = this.sizes.filter(({ after }) => after <= seq).at(-1) ?? this.sizes[0]
    return found?.size ?? { rows: 24, columns: 80 }
  }

  /** The one of the output of seq `first`, and those after it up to the output of seq `last`. */
  within(first: number, last: number): ReadonlyArray<SizeAt> {
    const begin = Math.max(0, this.sizes.filter(({ after }) => after < first).length - 1)
    return this.sizes.slice(begin).filter(({ after }, index) => index === 0 || after < last)
  }

  /** The first change after the output of seq `above`, up to that of `upTo`. */
  next(above: number, upTo: number): SizeAt | undefined {
    return this.sizes.find(({ after }) => after > above && after <= upTo)
  }
}
