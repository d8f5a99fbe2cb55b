/**
 * Looks for lines with a match in a piece of output, in linear time.
 *
 * A match lies in one line: `^` and `$` are the edges of the line, and no match reaches over its end. Where every match
 * has a text, only the lines with that text are looked at, which are found many times as fast.
 */
import type { State } from "../../pattern/Machine.ts"
import type { Pattern } from "../../pattern/Pattern.ts"
import { Side } from "../../pattern/Program.ts"
import type { HistoryFilesService } from "./HistoryFiles.ts"
import { lineEnd } from "../../pattern/Lines.ts"

/** A line, from one index to another, without its end. */
export interface Line {
  readonly from: number
  readonly to: number
}

/** The line that begins in front of an index, or there. */
const lineAround = (bytes: Uint8Array, at: number): Line => {
  const from = at === 0 ? 0 : bytes.lastIndexOf(lineEnd, at - 1) + 1
  const end = bytes.indexOf(lineEnd, at)
  return { from, to: end === -1 ? bytes.length : end }
}

/** Lines that have the text and no match, before it is asked whether they are too many; and how rare they should be. */
const [fewWrong, rareBytes] = [16, 512]

/** A search for one pattern, which has to be compiled with the flag `m`. */
export class LineSearch {
  private readonly pattern: Pattern
  private readonly indexOf: HistoryFilesService["indexOf"]

  constructor(pattern: Pattern, indexOf: HistoryFilesService["indexOf"]) {
    this.pattern = pattern
    this.indexOf = indexOf
  }

  /** The first line with a match that begins at `from`, where a line begins, or behind it. */
  next(bytes: Uint8Array, from: number): Line | undefined {
    let wrong = 0
    for (let at = from; at < bytes.length;) {
      // Where almost every line has the text, looking for it only costs.
      const isCommon = wrong >= fewWrong && at - from < wrong * rareBytes
      const candidate = this.candidate(bytes, at, isCommon)
      if (candidate === undefined || candidate.from >= bytes.length) return undefined
      if (this.matches(bytes, candidate)) return candidate
      wrong += 1
      at = candidate.to + 1
    }
    return undefined
  }

  /** The state at the begin of a line that comes piece by piece. */
  begin(): State {
    return this.pattern.machine.start(Side.lineEnd)
  }

  /** The state behind more of that line; undefined if there is a match. */
  more(state: State, bytes: Uint8Array): State | undefined {
    if (state.hits !== undefined) return undefined
    const { state: next } = this.pattern.machine.run(state, bytes, 0)
    return next.hits === undefined ? next : undefined
  }

  /** True if the end of the line makes a match. */
  atEnd(state: State): boolean {
    return (this.pattern.machine.step(state, lineEnd).hits?.before.length ?? 0) > 0
  }

  private matches(bytes: Uint8Array, { from, to }: Line): boolean {
    const { literal } = this.pattern
    if (literal?.isWhole === true) return literal.bytes.indexOf(lineEnd) === -1
    const state = this.more(this.begin(), bytes.subarray(from, to))
    return state === undefined || this.atEnd(state)
  }

  /** The first line behind `from` that may have a match. */
  private candidate(bytes: Uint8Array, from: number, isCommon: boolean): Line | undefined {
    const { literal, machine } = this.pattern
    if (literal !== undefined && !(isCommon && !literal.isWhole)) {
      const at = this.indexOf(bytes, literal.bytes, from)
      return at === -1 ? undefined : lineAround(bytes, at)
    }
    const begin = this.begin()
    if (begin.hits !== undefined) return lineAround(bytes, from)
    const { state, at } = machine.run(begin, bytes, from)
    if (state.hits !== undefined) return lineAround(bytes, state.hits.before.length > 0 ? at - 1 : at)
    return bytes[bytes.length - 1] !== lineEnd && this.atEnd(state)
      ? lineAround(bytes, bytes.length)
      : undefined
  }
}
