/** Which lines of what a child has printed match a pattern: what a search in a history tells is compared with it. */
import type { GrepOptions } from "../../core/client/RemoteProcess.ts"
import { utf8, utf8Decoder } from "../../core/protocol/Bytes.ts"
import type { GrepResult } from "../../core/protocol/History.ts"
import { firstThat } from "../../core/protocol/Sorted.ts"
import { type Before, indexAt, linesOf, mayBeginAt, placeOf } from "./HistoryTruth.ts"
import type { Truth } from "./Truth.ts"

/** Most bytes of a line in an answer. */
const mostText = 4096

/** Characters with which an answer may be full. */
const mostAnswer = 1024 * 1024

type Match = GrepResult["matches"][number]

/** What was asked, and what there is. */
interface Case {
  readonly truth: Truth
  readonly asked: GrepOptions
  readonly output: Uint8Array
  /** Where each line begins. */
  readonly lines: ReadonlyArray<number>
}

/** What is wrong with the lines that a search has found; undefined if they are those that match. */
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
  // What was printed after the end of a history is not in it: its last line is what it has of that.
  const output = truth.noise.bytes(0, Math.min(truth.total, ended?.byte ?? Infinity))
  const one: Case = { truth, asked, output, lines: linesOf(output) }
  for (const match of answer.matches) {
    const fault = matchFault(one, match)
    if (fault !== undefined) return `line ${match.line}: ${fault}`
  }
  const known = { ...before, total: Math.min(before.total, ended?.byte ?? Infinity) }
  return missingFault(one, known, answer)
}

/** A line that is told has that number, text and place, and matches. */
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

/** Every line up to the end of the search that matches is told, and the search goes as far as it can. */
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

/** Bytes as characters of the same numbers. */
const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}
