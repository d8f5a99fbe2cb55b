/**
 * A part of what a command has printed, within a budget: from a line or a byte on, the last lines, or the lines with a
 * match. `rest` gets the part that the budget cuts off. Places are those of the bytes that were printed, in whatever
 * form they are shown.
 */
import * as Result from "effect/Result"
import * as Lines from "../pattern/Lines.ts"
import * as Pattern from "../pattern/Pattern.ts"
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import * as PlainText from "./PlainText.ts"
import type { ReadOutput } from "./Tools.ts"
import type { Transcript } from "./Transcript.ts"
import * as Utf8 from "./Utf8.ts"

/** A call of a tool. */
export interface RestCall {
  /** The name of the tool. */
  readonly tool: "read_output"
  /** Its arguments, as a model writes them. */
  readonly arguments: Readonly<Record<string, string | number | boolean>>
}

/** The part that was cut from a text. */
export interface Rest {
  /** Gets it, or its beginning and the call for more. Absent: nothing of it is kept. */
  readonly call?: RestCall
  /** Set if a part of it is not kept any more: its bytes. */
  readonly lost?: { readonly from: number; readonly to: number }
}

/** The bytes from one offset to another, of which those before `begin` are not kept any more. */
export const ofBytes = (
  session_id: number,
  { from, to }: { readonly from: number; readonly to: number },
  begin: number,
  more: RestCall["arguments"] = {},
): Rest => {
  const kept = Math.max(from, begin)
  return {
    ...(kept >= to
      ? {}
      : { call: { tool: "read_output", arguments: { session_id, from_byte: kept, to_byte: to, ...more } } }),
    ...(from >= begin ? {} : { lost: { from, to: Math.min(to, begin) } }),
  }
}

/** For the model, in a text of its own. */
export const restText = ({ call, lost }: Rest): string =>
  [
    ...(call === undefined ? [] : [`The output above is cut. To get the rest, call ${callText(call)}`]),
    ...(lost === undefined ? [] : [`Bytes ${lost.from} to ${lost.to} of the output are not kept any more.`]),
  ].join("\n")

/** A call in words: the tool, and its arguments as JSON. */
export const callText = ({ tool, arguments: args }: RestCall): string => `${tool} ${JSON.stringify(args)}`

const { lineEnd } = Lines

/** The place of a text in the output of its command. Lines count from 1, bytes from 0. */
export interface Excerpt {
  /** The session ID of the command. */
  readonly sessionId: number
  /** The first byte. */
  readonly fromByte: number
  /** The first byte behind the last one. */
  readonly toByte: number
  /** The first line; of a search, the first that was looked at. */
  readonly fromLine: number
  /** The last line. */
  readonly toLine: number
  /** All that the command has printed so far. */
  readonly bytes: number
  /** The lines of that. */
  readonly lines: number
  /** Of a search: how many lines have a match. */
  readonly matches?: number
}

/** A part of the output: where it is, the text, and what gets what was cut from it. */
export interface Part {
  readonly excerpt: Excerpt
  readonly text: string
  readonly rest?: Rest
}

/** Bytes from one offset to another. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The place of a range. */
export const excerptOf = (sessionId: number, transcript: Transcript, { from, to }: Range): Excerpt => ({
  sessionId,
  fromByte: from,
  toByte: to,
  fromLine: transcript.lineAt(from),
  toLine: transcript.lineAt(Math.max(from, to - 1)),
  bytes: transcript.written,
  lines: transcript.lines,
})

/** Reads what the arguments ask for; as a failure, what is wrong with them. */
export const read = (
  transcript: Transcript,
  args: ReadOutput,
  budget: number,
  form: PlainText.Form = "raw",
): Result.Result<Part, string> => {
  const range = rangeOf(transcript, args)
  if (args.grep !== undefined) return search(transcript, args.grep, args, range, budget)
  return Result.succeed(part(transcript, args, range, budget, form))
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
      ? ofBytes(session_id, cut, transcript.begin, kept(args))
      : lostOnly.from < lostOnly.to
        ? { lost: lostOnly }
        : undefined
  return {
    excerpt: excerptOf(session_id, transcript, { from: start, to: end }),
    text: shown.text,
    ...(rest === undefined ? {} : { rest }),
  }
}

/** The other arguments of the call for the rest. */
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

/** The most lines of context before and after a match. */
export const mostContext = 50

/** The most bytes of one line that are shown. */
export const mostLineBytes = 400

/** The lines of a range that match, with so many lines of context as `args` ask for. On the left: a wrong pattern. */
const search = (
  transcript: Transcript,
  pattern: string,
  args: ReadOutput,
  asked: Range,
  budget: number,
): Result.Result<Part, string> => {
  const compiled = Pattern.compile(pattern, args.ignore_case === true ? "i" : "")
  if (Result.isFailure(compiled)) return Result.fail(`grep: ${compiled.failure.message}`)
  const range = { from: Math.max(asked.from, transcript.begin), to: asked.to }
  const bytes = transcript.slice(range.from, range.to)
  const lines = new OutputLines(bytes, transcript.lineAt(range.from), range.from, args.session_id)
  const found = matching(lines, compiled.success)
  const { text, next } = shownMatches(lines, found, Math.min(Number(args.context ?? 0), mostContext), budget)
  const rest = next === undefined ? undefined : { call: callFrom(args, lines.first + next) }
  const lost =
    asked.from < range.from ? { lost: { from: asked.from, to: Math.min(range.from, asked.to) } } : {}
  const both = rest === undefined && asked.from >= range.from ? undefined : { ...rest, ...lost }
  return Result.succeed({
    excerpt: { ...excerptOf(args.session_id, transcript, range), matches: found.size },
    text,
    ...(both === undefined ? {} : { rest: both }),
  })
}

/** The same search from a line on. */
const callFrom = (args: ReadOutput, from_line: number): RestCall => {
  const { tail: _, from_byte: _from, from_line: _line, ...others } = args
  const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined)
  const plain = given.map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
  return { tool: "read_output", arguments: { ...Object.fromEntries(plain), from_line } }
}

class OutputLines {
  readonly bytes: Uint8Array
  /** The number of the first line, and the offset of its first byte. */
  readonly first: number
  private readonly offset: number
  private readonly session: number
  private readonly starts: Array<number> = []

  constructor(bytes: Uint8Array, first: number, offset: number, session: number) {
    this.bytes = bytes
    this.first = first
    this.offset = offset
    this.session = session
    for (let at = 0; at < bytes.length; at = endOfLine(bytes, at)) this.starts.push(at)
  }

  get count(): number {
    return this.starts.length
  }

  /** A line without its end. */
  line(index: number): Uint8Array {
    const start = this.starts[index] ?? this.bytes.length
    let end = this.starts[index + 1] ?? this.bytes.length
    if (end > start && this.bytes[end - 1] === lineEnd) end -= 1
    if (end > start && this.bytes[end - 1] === 13) end -= 1
    return this.bytes.subarray(start, end)
  }

  /** A line without its end, in its plain form. */
  plain(index: number): Uint8Array {
    const line = this.line(index)
    return changes.some((byte) => line.includes(byte))
      ? utf8.encode(PlainText.of(utf8Decoder().decode(line)))
      : line
  }

  /** A line as it is shown; of a long one what is around `at`, with the call that gets all of it. */
  text(index: number, at = 0): string {
    const line = this.plain(index)
    if (line.length <= mostLineBytes) return utf8Decoder().decode(line)
    const from = this.offset + (this.starts[index] ?? 0)
    const { call } = ofBytes(this.session, { from, to: from + this.line(index).length }, 0)
    const all = call === undefined ? "" : callText(call)
    // A match ends at `at`; a quarter of what is shown follows it, unless it is near the begin.
    const begin = Math.max(0, Math.min(at + mostLineBytes / 4, line.length) - mostLineBytes)
    const part = line.subarray(begin, begin + mostLineBytes)
    const whole = part.subarray(begin === 0 ? 0 : Utf8.continued(part), part.length - Utf8.unfinished(part))
    const shown = `${begin === 0 ? "" : "…"}${utf8Decoder().decode(whole)}`
    return `${shown}${begin + part.length < line.length ? "…" : ""} (all of it: ${all})`
  }
}

/** Backspace, carriage return and escape. */
const changes = [8, 13, 27]

const endOfLine = (bytes: Uint8Array, at: number): number => {
  const end = bytes.indexOf(lineEnd, at)
  return end === -1 ? bytes.length : end + 1
}

/** The lines that match, without escape sequences (colors hide no text), and where the first match of each ends. */
const matching = (lines: OutputLines, { machine }: Pattern.Pattern): ReadonlyMap<number, number> => {
  const begin = machine.start()
  const found = new Map<number, number>()
  for (let index = 0; index < lines.count; index += 1) {
    const line = lines.plain(index)
    const { state, at } = machine.run(begin, line, 0)
    if (begin.hits !== undefined) found.set(index, 0)
    else if (state.hits !== undefined) found.set(index, at)
    else if (machine.atEnd(state).length > 0) found.set(index, line.length)
  }
  return found
}

/** The matches and their context, up to the budget; `next` is the index of the first match that did not fit. */
const shownMatches = (
  lines: OutputLines,
  found: ReadonlyMap<number, number>,
  context: number,
  budget: number,
) => {
  const texts: Array<string> = []
  let size = 0
  let last = -1
  for (const match of found.keys()) {
    if (match <= last) continue
    const from = Math.max(last + 1, match - context)
    const to = Math.min(lines.count - 1, match + context)
    const group: Array<string> = context > 0 && last >= 0 && from > last + 1 ? ["--"] : []
    for (let index = from; index <= to; index += 1) {
      group.push(
        `${lines.first + index}${found.has(index) ? ":" : "-"}${lines.text(index, found.get(index))}`,
      )
    }
    const text = group.join("\n")
    if (texts.length > 0 && size + text.length > budget) return { text: `${texts.join("\n")}\n`, next: match }
    texts.push(text)
    size += text.length + 1
    last = to
  }
  return { text: texts.length === 0 ? "" : `${texts.join("\n")}\n`, next: undefined }
}
