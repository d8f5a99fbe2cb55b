/**
 * A part of what a command has printed, within a budget: from a line or a byte on, the last lines, or the lines with a
 * match. What the budget cuts off, the `rest` gets.
 */
import * as Either from "effect/Either"
import { lineEnd } from "../pattern/Lines.ts"
import { utf8Decoder } from "../protocol/Bytes.ts"
import { excerptOf, type Part, type Range } from "./Excerpt.ts"
import * as Grep from "./Grep.ts"
import * as Rest from "./Rest.ts"
import type { ReadOutput } from "./Tools.ts"
import type { Transcript } from "./Transcript.ts"
import * as Utf8 from "./Utf8.ts"

/** Reads what the arguments ask for; on the left, what is wrong with them. */
export const read = (
  transcript: Transcript,
  args: ReadOutput,
  budget: number,
): Either.Either<Part, string> => {
  const range = rangeOf(transcript, args)
  if (args.grep !== undefined) return Grep.search(transcript, args.grep, args, range, budget)
  return Either.right(part(transcript, args, range, budget))
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

const part = (transcript: Transcript, args: ReadOutput, asked: Range, budget: number): Part => {
  const { session_id } = args
  const from = Math.max(asked.from, transcript.begin)
  const bytes = transcript.slice(from, asked.to)
  const fromEnd = args.tail !== undefined && args.from_byte === undefined && args.from_line === undefined
  const shown = bytes.length <= budget ? bytes : fromEnd ? lastOf(bytes, budget) : firstOf(bytes, budget)
  const start = shown === bytes || !fromEnd ? from : asked.to - shown.length
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
    text: utf8Decoder().decode(shown),
    ...(rest === undefined ? {} : { rest }),
  }
}

/** What the call for the rest asks for as well. */
const kept = ({ max_output_tokens }: ReadOutput) =>
  max_output_tokens == null ? {} : { max_output_tokens: Number(max_output_tokens) }

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
