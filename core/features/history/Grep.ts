/**
 * Looks for lines with a match in a history, block by block: other requests are answered between two blocks.
 *
 * Lines and bytes are those of `Reading`. A line counts when it has ended, or when the process has. Of a line of more
 * than a mebibyte only the begin is kept in memory.
 */
import * as Effect from "effect/Effect"
import type { State } from "../../pattern/Machine.ts"
import type { Pattern } from "../../pattern/Pattern.ts"
import { concat, utf8Decoder } from "../../protocol/Bytes.ts"
import type { HistoryError, HistoryFilesService } from "./HistoryFiles.ts"
import * as Lines from "../../pattern/Lines.ts"
import * as Reading from "./Reading.ts"
import { Side } from "../../pattern/Program.ts"
import { lineEnd } from "../../pattern/Lines.ts"

/** Most bytes that are looked at without a pause; four times as many for a pattern with a text. */
export const blockBytes = 256 * 1024

/** A line that is longer is not held in memory. */
export const mostLineBytes = 4 * blockBytes

/** Most characters of text in an answer, but for the last match of it; lines around a match count as it does. */
export const mostAnswerText = 1024 * 1024

export interface Search {
  /** Compiled with the flag `m`. */
  readonly pattern: Pattern
  /** Begin of the first line, in bytes of the output. */
  readonly from: number
  /** Lines that begin here or behind are not looked at. */
  readonly to: number
  /** Lines before each match. */
  readonly before: number
  /** Lines behind it. */
  readonly after: number
  readonly maxMatches: number
  /** True if the last line counts although it has no end. */
  readonly isOver: boolean
}

/** A line with a match. */
export interface Found {
  /** Its number, from 1. */
  readonly line: number
  /** The offset of its first byte. */
  readonly byte: number
  /** The chunk that it begins in. */
  readonly seq: number
  /** At most its first 4,096 bytes, as UTF-8. */
  readonly text: string
  /** The lines before it, oldest first. */
  readonly before: ReadonlyArray<string>
  /** The lines behind it. */
  readonly after: ReadonlyArray<string>
}

/** The matches, and where to go on. */
export interface Page {
  readonly matches: ReadonlyArray<Found>
  /** True if everything was looked at. */
  readonly complete: boolean
  /** The begin of the first line that was not looked at. */
  readonly nextByte: number
}

/** Looks for matches in what is kept between two bytes. */
export const search = (
  source: Reading.Source,
  request: Search,
  indexOf: HistoryFilesService["indexOf"],
): Effect.Effect<Page, HistoryError> =>
  Effect.gen(function* () {
    const grep = new Grep(request, indexOf)
    const end = source.end.byte
    const memory = new Uint8Array(request.pattern.literal === undefined ? blockBytes : 4 * blockBytes)
    let at = Math.max(request.from, Reading.beginOf(source))
    while (at < end && !grep.isDone) {
      const part = yield* Reading.bytes(source, at, end, memory)
      // Output that was dropped meanwhile is skipped.
      grep.take(part.bytes, part.byte)
      at = part.nextByte
      if (part.bytes.length === 0) break
      yield* Effect.yieldNow
    }
    if (at >= end && request.isOver) grep.end()
    const matches = yield* placed(source, grep.hits)
    return { matches, complete: !grep.isFull, nextByte: grep.nextByte }
  })

/** A search under way, which is given the output piece by piece. */
class Grep {
  readonly hits: Array<Hit> = []
  /** True if there are as many matches as an answer may have. */
  isFull = false
  nextByte: number
  private readonly request: Search
  private readonly lines: LineSearch
  private textSize = 0
  /** The begin of a line whose end has not come, at `nextByte`. */
  private rest: Uint8Array = new Uint8Array(0)
  /** A line that is too long to be held; `state` is undefined once it has a match. */
  private long: { readonly text: string; state: State | undefined } | undefined
  private recent: ReadonlyArray<string> = []
  private read: number

  constructor(request: Search, indexOf: HistoryFilesService["indexOf"]) {
    this.request = request
    this.lines = new LineSearch(request.pattern, indexOf)
    this.nextByte = request.from
    this.read = request.from
  }

  get isDone(): boolean {
    const isPast = this.isFull || this.nextByte >= this.request.to
    return isPast && this.hits.every((hit) => hit.after.length >= this.request.after)
  }

  /** Bytes from that place on. */
  take(bytes: Uint8Array, byte: number): void {
    if (byte > this.read) {
      this.long = undefined
      this.rest = new Uint8Array(0)
      if (!this.isFull) this.nextByte = byte
    }
    this.read = byte + bytes.length
    let from = this.long === undefined ? 0 : this.takeLong(bytes)
    if (from === undefined) return
    const end = bytes.lastIndexOf(Lines.lineEnd) + 1
    if (end > from && this.rest.length > 0) {
      // Only the line that began in front of these bytes is copied.
      const next = bytes.indexOf(Lines.lineEnd, from) + 1
      this.look(concat([this.rest, bytes.subarray(from, next)]), byte + from - this.rest.length)
      ;[this.rest, from] = [new Uint8Array(0), next]
    }
    if (end > from) this.look(bytes.subarray(from, end), byte + from)
    this.rest = concat([this.rest, bytes.subarray(Math.max(from, end))])
    if (this.rest.length < mostLineBytes) return
    this.long = { text: textOf(this.rest), state: this.lines.more(this.lines.begin(), this.rest) }
    this.rest = new Uint8Array(0)
  }

  /** Nothing follows. */
  end(): void {
    if (this.long !== undefined) this.endLong(this.read)
    else if (this.rest.length > 0) this.look(this.rest, this.read - this.rest.length)
  }

  /** Looks at whole lines. */
  private look(data: Uint8Array, base: number): void {
    const { request } = this
    let at = 0
    while (!this.isFull && base + at < request.to) {
      const line = this.lines.next(data, at)
      if (line === undefined || base + line.from >= request.to) {
        this.nextByte = base + data.length
        break
      }
      at = Math.min(line.to + 1, data.length)
      const before = linesBefore(data, line.from, request.before, this.recent)
      this.hit(base + line.from, textOf(data.subarray(line.from, line.to)), base + at, before)
    }
    this.fill(data, base)
    if (request.before > 0) this.recent = linesBefore(data, data.length, request.before, this.recent)
  }

  private hit(byte: number, text: string, next: number, before: ReadonlyArray<string>): void {
    const { maxMatches, after } = this.request
    this.hits.push({ byte, text, before, after: [], next })
    this.textSize += text.length * (1 + before.length + after)
    this.nextByte = next
    this.isFull = this.hits.length >= maxMatches || this.textSize >= mostAnswerText
  }

  /** Gives matches the lines behind them. */
  private fill(data: Uint8Array, base: number): void {
    const { after } = this.request
    for (let index = this.hits.length - 1; index >= 0; index--) {
      const hit = this.hits[index]
      // If this one has what it wants, those before it have, too.
      if (hit === undefined || hit.after.length >= after) return
      while (hit.after.length < after && hit.next < base + data.length) {
        const from = Math.max(0, hit.next - base)
        const end = data.indexOf(Lines.lineEnd, from)
        const to = end === -1 ? data.length : end
        hit.after.push(textOf(data.subarray(from, to)))
        hit.next = base + to + 1
      }
    }
  }

  /** More of a long line; undefined if it does not end there, else where the next begins. */
  private takeLong(bytes: Uint8Array): number | undefined {
    const { long } = this
    const end = bytes.indexOf(Lines.lineEnd)
    const part = end === -1 ? bytes : bytes.subarray(0, end)
    if (long?.state !== undefined) long.state = this.lines.more(long.state, part)
    if (end === -1) return undefined
    this.endLong(this.read - bytes.length + end + 1)
    return end + 1
  }

  private endLong(next: number): void {
    const { long, request } = this
    this.long = undefined
    if (long === undefined) return
    for (const hit of this.hits) {
      if (hit.after.length < request.after && hit.next < next) {
        hit.after.push(long.text)
        hit.next = next
      }
    }
    if (!this.isFull && this.nextByte < request.to) {
      const matches = long.state === undefined || this.lines.atEnd(long.state)
      if (matches) this.hit(this.nextByte, long.text, next, this.recent)
      else this.nextByte = next
    }
    if (request.before > 0) this.recent = [...this.recent, long.text].slice(-request.before)
  }
}

/** A match whose line and chunk are not known. */
interface Hit {
  readonly byte: number
  readonly text: string
  readonly before: ReadonlyArray<string>
  readonly after: Array<string>
  /** The offset of the next line behind it that it still wants. */
  next: number
}

/** Output that is read at once to find the lines and the chunks of matches, in bytes. */
const placingBytes = 64 * 1024

/** Matches with their lines and chunks. A match that was dropped since has none any more. */
const placed = (
  source: Reading.Source,
  hits: ReadonlyArray<Hit>,
): Effect.Effect<ReadonlyArray<Found>, HistoryError> =>
  Effect.gen(function* () {
    const found: Array<Found> = []
    const end = (hits.at(-1)?.byte ?? 0) + 1
    let next = 0
    for (let hit = hits[next]; hit !== undefined; hit = hits[next]) {
      const part = yield* Reading.read(source, hit.byte, end, placingBytes)
      if (part.chunks.length === 0) break
      let { byte: begin, line } = part
      for (const { bytes, seq } of part.chunks) {
        let counted = 0
        for (; (hit = hits[next]) !== undefined && hit.byte < begin + bytes.length; next += 1) {
          if (hit.byte < begin) continue
          const { byte, text, before, after } = hit
          line += Lines.count(bytes.subarray(counted, byte - begin))
          counted = byte - begin
          found.push({ line, byte, seq, text, before, after })
        }
        line += Lines.count(bytes.subarray(counted))
        begin += bytes.length
      }
    }
    return found
  })

/** Most bytes of a line in an answer. */
const mostTextBytes = 4096

/** A line as UTF-8, or its begin. */
const textOf = (line: Uint8Array): string => utf8Decoder().decode(line.subarray(0, mostTextBytes))

/** So many lines in front of an index, where a line begins; those that are not in these bytes are from `earlier`. */
const linesBefore = (
  data: Uint8Array,
  at: number,
  count: number,
  earlier: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let to = at - 1
  while (lines.length < count && to >= 0) {
    const from = to === 0 ? 0 : data.lastIndexOf(Lines.lineEnd, to - 1) + 1
    lines.unshift(textOf(data.subarray(from, to)))
    to = from - 1
  }
  const missing = count - lines.length
  return missing === 0 ? lines : [...earlier.slice(-missing), ...lines]
}

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
class LineSearch {
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
      // If almost every line has the text, a look for it only costs.
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
