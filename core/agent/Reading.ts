/**
 * A part of what a command has printed, within a budget: from a line or a byte on, the last lines, or the lines with a
 * match. What the budget cuts off, the `rest` gets. Places are those of the bytes that were printed, in whatever form
 * they are shown.
 */
import * as Either from "effect/Either"
import * as Lines from "../pattern/Lines.ts"
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import { excerptOf, type Part, type Range } from "./Excerpt.ts"
import * as Grep from "./Grep.ts"
import * as PlainText from "./PlainText.ts"
import * as Rest from "./Rest.ts"
import type { ReadOutput } from "./Tools.ts"
import type { Transcript } from "./Transcript.ts"
import * as Utf8 from "./Utf8.ts"

/** Reads what the arguments ask for; on the left, what is wrong with them. */
export const read = (
  transcript: Transcript,
  args: ReadOutput,
  budget: number,
  form: PlainText.Form = "raw",
): Either.Either<Part, string> => {
  const range = rangeOf(transcript, args)
  if (args.grep !== undefined) return Grep.search(transcript, args.grep, args, range, budget)
  return Either.right(part(transcript, args, range, budget, form))
}

const rangeOf = (transcript: Transcript, args: ReadOutput): Range => {
  const { from_line, to_line, tail, from_byte, to_byte } = args
  const { written, lines } = transcript
  const first =
    from_byte !== undefined
      ? Number(from_byte)
      : from_line !== undefined
        ? Number(from_line) <= 1
          ? 0
          : transcript.startOf(Number(from_line))
        : tail !== undefined
          ? startOfTail(transcript, lines - Number(tail) + 1)
          : 0
  const end =
    to_byte !== undefined
      ? Number(to_byte)
      : to_line === undefined
        ? written
        : transcript.startOf(Number(to_line) + 1)
  const from = Math.min(first, written)
  return { from, to: Math.max(from, Math.min(end, written)) }
}

const startOfTail = (transcript: Transcript, line: number): number =>
  line > transcript.lines ? transcript.written : transcript.startOf(line)

const part = (
  transcript: Transcript,
  args: ReadOutput,
  asked: Range,
  budget: number,
  form: PlainText.Form,
): Part => {
  const { session_id } = args
  const from = Math.max(asked.from, transcript.begin)
  const bytes = transcript.slice(from, asked.to)
  const fromEnd = args.tail !== undefined && args.from_byte === undefined && args.from_line === undefined
  const shown = form === "raw" ? rawOf(bytes, budget, fromEnd) : plainOf(bytes, budget, fromEnd)
  const start = fromEnd ? asked.to - shown.length : from
  const end = start + shown.length
  const cut = fromEnd ? { from: asked.from, to: start } : { from: end, to: asked.to }
  const lostOnly = { from: asked.from, to: Math.min(from, asked.to) }
  const rest =
    cut.from < cut.to
      ? Rest.ofBytes(session_id, cut, transcript.begin, kept(args))
      : lostOnly.from < lostOnly.to
        ? { lost: lostOnly }
        : undefined
  return {
    excerpt: excerptOf(session_id, transcript, { from: start, to: end }),
    text: shown.text,
    ...(rest === undefined ? {} : { rest }),
  }
}

/** What the call for the rest asks for as well. */
const kept = ({ max_output_tokens }: ReadOutput) =>
  max_output_tokens == null ? {} : { max_output_tokens: Number(max_output_tokens) }

/** A text, and how many of the bytes it is made of. */
interface Shown {
  readonly text: string
  readonly length: number
}

const rawOf = (bytes: Uint8Array, budget: number, fromEnd: boolean): Shown => {
  const shown = bytes.length <= budget ? bytes : fromEnd ? lastOf(bytes, budget) : firstOf(bytes, budget)
  return { text: utf8Decoder().decode(shown), length: shown.length }
}

/** So many times as many bytes as are shown are looked at: colors and progress bars are most of an output. */
const lookedAt = 16

/** As many lines as fit in their plain form; of a line that does not fit, as many bytes as do. */
const plainOf = (bytes: Uint8Array, budget: number, fromEnd: boolean): Shown => {
  const most = budget * lookedAt
  const looked = bytes.length <= most ? bytes : fromEnd ? lastOf(bytes, most) : firstOf(bytes, most)
  const plain = utf8.encode(PlainText.of(utf8Decoder().decode(looked)))
  if (plain.length <= budget) return { text: utf8Decoder().decode(plain), length: looked.length }
  const shown = fromEnd ? lastOf(plain, budget) : firstOf(plain, budget)
  const lines = Lines.count(shown)
  const skipped = fromEnd ? Lines.count(plain) - lines : lines
  const at = Lines.behind(looked, skipped)
  const isWhole = fromEnd ? plain[plain.length - shown.length - 1] === lineEnd : shown.at(-1) === lineEnd
  if (isWhole && at !== undefined && Lines.count(plain) === Lines.count(looked)) {
    return { text: utf8Decoder().decode(shown), length: fromEnd ? looked.length - at : at }
  }
  const part = fromEnd ? lastOf(looked, budget) : firstOf(looked, budget)
  const unfinished = fromEnd ? 0 : PlainText.unfinished(part)
  const whole = unfinished === part.length ? part : part.subarray(0, part.length - unfinished)
  return { text: PlainText.of(utf8Decoder().decode(whole)), length: whole.length }
}

const { lineEnd } = Lines

/** The first bytes, up to the end of a line, or of a character where the first line is longer than all. */
const firstOf = (bytes: Uint8Array, budget: number): Uint8Array => {
  const most = bytes.subarray(0, Math.max(4, budget))
  const end = most.lastIndexOf(lineEnd) + 1
  return end > 0 ? most.subarray(0, end) : most.subarray(0, most.length - Utf8.unfinished(most))
}

/** The last bytes, from the beginning of a line, or of a character. */
const lastOf = (bytes: Uint8Array, budget: number): Uint8Array => {
  const most = bytes.subarray(bytes.length - Math.max(4, budget))
  const start = most.indexOf(lineEnd) + 1
  return start > 0 && start < most.length ? most.subarray(start) : most.subarray(Utf8.continued(most))
}
