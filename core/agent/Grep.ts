/** Looks for the lines of an output that match a pattern, in linear time, as `grep -n` shows them. */
import * as Either from "effect/Either"
import { lineEnd } from "../pattern/Lines.ts"
import * as Pattern from "../pattern/Pattern.ts"
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import { excerptOf, type Part, type Range } from "./Excerpt.ts"
import * as PlainText from "./PlainText.ts"
import * as Rest from "./Rest.ts"
import type { ReadOutput } from "./Tools.ts"
import type { Transcript } from "./Transcript.ts"
import * as Utf8 from "./Utf8.ts"

/** The most lines of context before and after a match. */
export const mostContext = 50

/** The most bytes of one line that are shown. */
export const mostLineBytes = 400

/** The lines of a range that match, with so many lines of context as `args` ask for. On the left: a wrong pattern. */
export const search = (
  transcript: Transcript,
  pattern: string,
  args: ReadOutput,
  asked: Range,
  budget: number,
): Either.Either<Part, string> => {
  const compiled = Pattern.compile(pattern, args.ignore_case === true ? "i" : "")
  if (Either.isLeft(compiled)) return Either.left(`grep: ${compiled.left.message}`)
  const range = { from: Math.max(asked.from, transcript.begin), to: asked.to }
  const bytes = transcript.slice(range.from, range.to)
  const lines = new Lines(bytes, transcript.lineAt(range.from), range.from, args.session_id)
  const found = matching(lines, compiled.right)
  const { text, next } = shown(lines, found, Math.min(Number(args.context ?? 0), mostContext), budget)
  const rest = next === undefined ? undefined : { call: callFrom(args, lines.first + next) }
  const lost =
    asked.from < range.from ? { lost: { from: asked.from, to: Math.min(range.from, asked.to) } } : {}
  const both = rest === undefined && asked.from >= range.from ? undefined : { ...rest, ...lost }
  return Either.right({
    excerpt: { ...excerptOf(args.session_id, transcript, range), matches: found.size },
    text,
    ...(both === undefined ? {} : { rest: both }),
  })
}

/** The same search from a line on. */
const callFrom = (args: ReadOutput, from_line: number): Rest.RestCall => {
  const { tail: _, from_byte: _from, from_line: _line, ...others } = args
  const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined)
  const plain = given.map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
  return { tool: "read_output", arguments: { ...Object.fromEntries(plain), from_line } }
}

/** The lines of some bytes. */
class Lines {
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
    const { call } = Rest.ofBytes(this.session, { from, to: from + this.line(index).length }, 0)
    const all = call === undefined ? "" : Rest.callText(call)
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
const matching = (lines: Lines, { machine }: Pattern.Pattern): ReadonlyMap<number, number> => {
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
const shown = (lines: Lines, found: ReadonlyMap<number, number>, context: number, budget: number) => {
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
