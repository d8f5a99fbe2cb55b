/** Places, lines and parts of what a child has really printed: what a history tells is compared with it. */
import type { GrepOptions, OutputPoint } from "../../core/client/RemoteProcess.ts"
import { utf8, utf8Decoder } from "../../core/protocol/Bytes.ts"
import type { GrepResult, HistoryResult } from "../../core/features/history/wire.ts"
import { firstThat } from "../../core/protocol/Sorted.ts"
import { latin1 } from "./Noise.ts"
import type { Truth } from "./Truth.ts"
import { epoch } from "./World.ts"

/** The state of the output when something was asked for. */
export interface Before {
  /** Bytes of output. */
  readonly total: number
  readonly pieces: number
}

/** A place that depends on when the server has looked: not in front of the first one, and not behind the other. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Asked {
  readonly from?: OutputPoint
  readonly to?: OutputPoint
  readonly tail?: number
  readonly maxBytes: number
}

const lineEnd = 0x0a

/** Milliseconds that output may wait for its place in a history. */
const mostLate = 60_000

/** Most chunks of a part. */
const mostChunks = 16_384

export const beforeOf = ({ total, pieces }: Truth): Before => ({ total, pieces: pieces.length })

/** The begin of each line in some output; the last one has no end, and may be empty. */
export const linesOf = (output: Uint8Array): ReadonlyArray<number> => {
  const begins = [0]
  for (let at = output.indexOf(lineEnd); at !== -1; at = output.indexOf(lineEnd, at + 1)) begins.push(at + 1)
  return begins
}

export const indexAt = ({ pieces }: Truth, byte: number): number =>
  pieces.findIndex(({ offset, length }) => offset + length > byte)

/** True if the history may have dropped everything in front of a byte. */
export const mayBeginAt = (truth: Truth, byte: number): boolean =>
  byte === 0 || truth.mayHaveLeftHistory(indexAt(truth, byte - 1))

/** The place of a point. At the end it moves as long as the child prints. */
export const placeOf = (
  truth: Truth,
  { total }: Before,
  point: OutputPoint | undefined,
): Range | undefined => {
  const at = (place: number | undefined): Range =>
    place !== undefined && place <= total
      ? { from: place, to: place }
      : { from: total, to: Math.min(place ?? truth.total, truth.total) }
  const { seq, byte, line, time } = point ?? {}
  if (byte != null) return at(byte)
  if (line != null) return at(linesOf(truth.noise.bytes(0, truth.total))[line - 1])
  if (seq != null) {
    const places = [seq - 1, ...(truth.exitedAt === undefined ? [] : [seq - 2])].map((index) =>
      at(truth.pieces[Math.max(0, index)]?.offset),
    )
    return {
      from: Math.min(...places.map(({ from }) => from)),
      to: Math.max(...places.map(({ to }) => to)),
    }
  }
  if (time == null) return undefined
  const first = (millis: number) => truth.pieces.find((piece) => epoch + piece.at >= millis)?.offset
  return { from: at(first(time - mostLate)).from, to: at(first(time)).to }
}

/** The begin of the last lines, if nothing was printed meanwhile. */
const tailOf = (truth: Truth, { total }: Before, lines: number): Range | undefined => {
  if (truth.total !== total) return undefined
  const begins = linesOf(truth.noise.bytes(0, total))
  const whole = begins.at(-1) === total ? begins.slice(0, -1) : begins
  const place = lines === 0 ? total : (whole[Math.max(0, whole.length - lines)] ?? 0)
  return { from: place, to: place }
}

/** The fault of a part of the output; undefined if it is what was asked for. */
export const partFault = (
  truth: Truth,
  asked: Asked,
  before: Before,
  answer: HistoryResult,
): string | undefined => {
  const { byte, line, nextByte, ended } = answer
  if (ended !== undefined && truth.historyBytes !== undefined) return `it has ended: ${ended.message}`
  if (answer.closed && !truth.closed) return "it is told to be closed, and is not"
  const content = contentFault(truth, answer)
  if (content !== undefined) return content
  const begins = linesOf(truth.noise.bytes(0, byte))
  if (line !== begins.length) return `byte ${byte} is told to be in line ${line}, and is in ${begins.length}`
  return (
    placeFault(truth, asked, { ...before, total: Math.min(before.total, ended?.byte ?? Infinity) }, answer) ??
    (nextByte > truth.total ? `it ends at ${nextByte} of ${truth.total}` : undefined)
  )
}

/** Every byte stands where the child wrote it, in its chunk. */
const contentFault = (truth: Truth, { chunks, byte, nextByte }: HistoryResult): string | undefined => {
  let at = byte
  let last = 0
  for (const { seq, stream, chunk } of chunks) {
    const fault = truth.partFault(seq, stream, chunk, at)
    if (fault !== undefined) return fault
    if (seq <= last) return `seq ${seq} follows ${last}`
    last = seq
    at += chunk.length
  }
  return at === nextByte ? undefined : `its chunks end at ${at}, and it is told to end at ${nextByte}`
}

/** It begins and ends where it was asked to. */
const placeFault = (
  truth: Truth,
  { from, to, tail, maxBytes }: Asked,
  before: Before,
  { byte, nextByte, eof, ended, chunks }: HistoryResult,
): string | undefined => {
  const most = ended?.byte ?? truth.total
  const begin =
    tail === undefined ? (placeOf(truth, before, from) ?? { from: 0, to: 0 }) : tailOf(truth, before, tail)
  if (begin !== undefined && byte < Math.min(begin.from, before.total))
    return `it begins at ${byte}, in front of ${begin.from}`
  if (begin !== undefined && byte > Math.min(begin.to, most) && !mayBeginAt(truth, byte))
    return `it begins at ${byte}, behind ${begin.to}, and what is between is not gone`
  const end = placeOf(truth, before, to) ?? { from: Infinity, to: Infinity }
  const [least, greatest] = [Math.min(end.from, before.total), Math.min(end.to, most)]
  const size = nextByte - byte
  if (size > maxBytes) return `it has ${size} bytes of at most ${maxBytes}`
  if (size > 0 && nextByte > greatest) return `it ends at ${nextByte}, behind ${greatest}`
  if (nextByte < least && size < maxBytes && chunks.length < mostChunks)
    return `it ends at ${nextByte}, and had to go on to ${least}`
  if (eof && nextByte < least) return `nothing is told to follow ${nextByte}, and it goes on to ${least}`
  if (!eof && nextByte >= greatest) return `something is told to follow ${nextByte}, and nothing does`
  return undefined
}

/** Most bytes of a line in an answer. */
const mostText = 4096

/** Characters with which an answer may be full. */
const mostAnswer = 1024 * 1024

type Match = GrepResult["matches"][number]

/** A search, and the output that there is. */
interface Case {
  readonly truth: Truth
  readonly asked: GrepOptions
  readonly output: Uint8Array
  /** The begin of each line. */
  readonly lines: ReadonlyArray<number>
}

/** The fault in the lines that a search has found; undefined if they are those that match. */
export const grepFault = (
  truth: Truth,
  asked: GrepOptions,
  before: Before,
  answer: GrepResult,
): string | undefined => {
  const { ended } = answer
  if (ended !== undefined && truth.historyBytes !== undefined)
    return `its history has ended: ${ended.message}`
  if (answer.closed && !truth.closed) return "it is told to be closed, and is not"
  // Output after the end of a history is not in it: its last line is what it has of that.
  const output = truth.noise.bytes(0, Math.min(truth.total, ended?.byte ?? Infinity))
  const one: Case = { truth, asked, output, lines: linesOf(output) }
  for (const match of answer.matches) {
    const fault = matchFault(one, match)
    if (fault !== undefined) return `line ${match.line}: ${fault}`
  }
  const known = { ...before, total: Math.min(before.total, ended?.byte ?? Infinity) }
  return missingFault(one, known, answer)
}

/** A reported line has that number, text and place, and matches. */
const matchFault = (one: Case, { line, byte, seq, text, before = [], after = [] }: Match) => {
  const { truth, asked, lines } = one
  const begin = lines[line - 1]
  // Of a line whose begin is gone the rest counts.
  if (begin === undefined || (byte !== begin && !(byte > begin && mayBeginAt(truth, byte))))
    return `it is told to begin at ${byte}, and begins at ${begin}`
  const index = indexAt(truth, byte)
  if (seq !== index + 1 && !(truth.exitedAt !== undefined && seq === index + 2))
    return `it begins in chunk ${index}, and seq ${seq} is told`
  if (text !== textOf(one, byte)) return `its text is told as ${JSON.stringify(text)}`
  if (!matches(one, byte)) return `it does not match, and is told: ${JSON.stringify(text)}`
  const around = (told: ReadonlyArray<string>, first: number, most: number) =>
    told.length <= most && told.every((other, at) => other === textOf(one, lines[first + at] ?? Infinity))
  // The oldest one may have lost its begin.
  const whole = before.length > 0 && mayBeginAt(truth, lines[line - 1 - before.length] ?? 0) ? 1 : 0
  if (!around(before.slice(whole), line - 1 - before.length + whole, asked.before ?? 0))
    return `the lines before it are told as ${JSON.stringify(before)}`
  if (!around(after, line, asked.after ?? 0))
    return `the lines behind it are told as ${JSON.stringify(after)}`
  return undefined
}

/** Every line up to the end of the search that matches is reported, and the search goes as far as it can. */
const missingFault = (
  one: Case,
  before: Before,
  { matches: told, complete, nextByte, closed, ended }: GrepResult,
) => {
  const { truth, asked, lines, output } = one
  const { before: linesBefore = 0, after = 0, maxMatches = 100 } = asked
  const characters = told.reduce((sum, { text }) => sum + text.length * (1 + linesBefore + after), 0)
  if (told.length > maxMatches) return `${told.length} matches are told, of at most ${maxMatches}`
  const from = placeOf(truth, before, asked.from) ?? { from: 0, to: 0 }
  const to = placeOf(truth, before, asked.to) ?? { from: Infinity, to: Infinity }
  const first = lastUpTo(lines, from.to)
  if (from.from !== from.to || to.from !== to.to || mayBeginAt(truth, first + 1)) return undefined
  if (!complete && told.length < maxMatches && characters < mostAnswer)
    return `it stops at ${nextByte}, with ${told.length} of ${maxMatches} matches`
  const wanted = lines.filter((begin, index) => {
    const hasEnd =
      lines[index + 1] !== undefined || ((closed || ended !== undefined) && begin < output.length)
    return begin >= first && begin < Math.min(to.to, nextByte) && hasEnd && matches(one, begin)
  })
  const missing = wanted.find((begin) => told.every(({ byte }) => byte !== begin))
  if (missing !== undefined) return `the line at ${missing} matches, and is not told`
  if (told.length !== wanted.length) return `${told.length} lines are told, and ${wanted.length} match`
  const least = Math.min(to.to, lastUpTo(lines, before.total))
  if (complete && nextByte < least) return `it is complete at ${nextByte}, and ${least} was printed before`
  return undefined
}

/** The last of these places that is not behind another one. */
const lastUpTo = (places: ReadonlyArray<number>, most: number): number =>
  places.reduce((last, place) => (place <= most ? place : last), 0)

const lineAt = ({ output, lines }: Case, begin: number): Uint8Array => {
  const next = lines[firstThat(lines, (other) => other > begin)]
  return output.subarray(begin, next === undefined ? output.length : next - 1)
}

const textOf = (one: Case, begin: number): string =>
  utf8Decoder().decode(lineAt(one, begin).subarray(0, mostText))

const matches = (one: Case, begin: number): boolean => {
  const { pattern, flags } = one.asked
  const text = latin1(lineAt(one, begin))
  return flags === "l" ? text.includes(latin1(utf8.encode(pattern))) : new RegExp(pattern).test(text)
}
