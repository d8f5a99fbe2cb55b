/** Recordings of terminals in the format of asciinema, asciicast, of its versions 2 and 3. */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { OutputStream, TerminalSize } from "../../protocol/Process.ts"

/** The header of a recording. */
export interface Header {
  /** The version of the format. */
  readonly version: 2 | 3
  /** The columns of the terminal at the begin. */
  readonly columns: number
  /** Its rows. */
  readonly rows: number
  /** When it began, in seconds since 1970. */
  readonly timestamp?: number | undefined
  /** Its title. */
  readonly title?: string | undefined
  /** The command that ran in the terminal. */
  readonly command?: string | undefined
  /** The kind of the terminal, as `TERM` has it. */
  readonly term?: string | undefined
  /** Longer silence is played as so many seconds. */
  readonly idleTimeLimit?: number | undefined
}

/** An event, `at` so many milliseconds after the begin. */
export type Event =
  | { readonly kind: "output" | "input" | "marker"; readonly at: number; readonly text: string }
  | { readonly kind: "resize"; readonly at: number; readonly columns: number; readonly rows: number }
  | { readonly kind: "exit"; readonly at: number; readonly code: number }

/** A whole recording. */
export interface Cast {
  /** Its header. */
  readonly header: Header
  /** In the order of time. */
  readonly events: ReadonlyArray<Event>
}

/** The fault of a text that is no recording. */
export type CastReason =
  /** The first line is no header. */
  | "Header"
  /** It is of a version that is not known. */
  | "Version"
  /** A line is no event. */
  | "Event"

/** A text that is no recording. */
export class CastError extends Data.TaggedError("CastError")<{
  /** The fault. */
  readonly reason: CastReason
  /** The line, counted from 1. */
  readonly line: number
  /** The same in words. */
  readonly message: string
}> {}

/** The recording that a text is. */
export const read = (text: string): Result.Result<Cast, CastError> => {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => !isComment(line))
  const header = headerOf(first === -1 ? "" : (lines[first] ?? ""), Math.max(first, 0) + 1)
  return Result.flatMap(header, (header) => eventsOf(header, lines, first + 1))
}

const isComment = (line: string): boolean => line.startsWith("#") || line.trim() === ""

type Fields = { readonly [name: string]: unknown }

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const isFields = (json: unknown): json is Fields =>
  typeof json === "object" && json !== null && !Array.isArray(json)
const fieldsOf = (json: unknown): Fields => (isFields(json) ? json : {})
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

const headerOf = (text: string, line: number): Result.Result<Header, CastError> => {
  const fail = (reason: CastError["reason"], message: string) =>
    Result.fail(new CastError({ reason, line, message }))
  const json = parse(text)
  if (!isFields(json))
    return fail("Header", `line ${line} is no header: a recording begins with a JSON object`)
  const { version } = json
  if (version !== 2 && version !== 3)
    return fail("Version", `asciicast version ${JSON.stringify(version)} is not known: 2 and 3 are`)
  const term = fieldsOf(json["term"])
  const [columns, rows] = version === 2 ? [json["width"], json["height"]] : [term["cols"], term["rows"]]
  if (!isSize(columns) || !isSize(rows))
    return fail("Header", `the header in line ${line} has no size of the terminal`)
  const number = (value: unknown) => (typeof value === "number" ? value : undefined)
  const string = (value: unknown) => (typeof value === "string" ? value : undefined)
  return Result.succeed({
    version,
    columns,
    rows,
    timestamp: number(json["timestamp"]),
    idleTimeLimit: number(json["idle_time_limit"]),
    command: string(json["command"]),
    title: string(json["title"]),
    term: string(version === 2 ? fieldsOf(json["env"])["TERM"] : term["type"]),
  })
}

const eventsOf = (
  header: Header,
  lines: ReadonlyArray<string>,
  from: number,
): Result.Result<Cast, CastError> => {
  const events: Array<Event> = []
  let seconds = 0
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (isComment(line)) continue
    const json = parse(line)
    const [time, code, data] = Array.isArray(json) ? (json as ReadonlyArray<unknown>) : []
    const isWhole =
      typeof time === "number" && time >= 0 && typeof code === "string" && typeof data === "string"
    if (!isWhole) {
      if (index === lines.length - 1) break
      const message = `line ${index + 1} is no event: [time, "code", "data"]`
      return Result.fail(new CastError({ reason: "Event", line: index + 1, message }))
    }
    // Version 3 has the time since the event before.
    seconds = header.version === 2 ? Math.max(seconds, time) : seconds + time
    const event = eventOf(Math.round(seconds * 1000), code, data)
    if (event !== undefined) events.push(event)
  }
  return Result.succeed({ header, events })
}

const texts = { o: "output", i: "input", m: "marker" } as const

const eventOf = (at: number, code: string, data: string): Event | undefined => {
  if (code === "o" || code === "i" || code === "m") return { kind: texts[code], at, text: data }
  if (code === "r") {
    const [, columns, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(data) ?? []
    return columns === undefined
      ? undefined
      : { kind: "resize", at, columns: Number(columns), rows: Number(rows) }
  }
  return code === "x" && /^\d{1,10}$/.test(data) ? { kind: "exit", at, code: Number(data) } : undefined
}

interface Stream {
  readonly decoder: ReturnType<typeof utf8Decoder>
  /** True behind a carriage return. */
  isReturned: boolean
}

/** Writes one recording. Times are in milliseconds since its begin; an earlier one than before counts as the same. */
export class CastWriter {
  /** The first line. */
  readonly header: string
  private readonly version: Header["version"]
  private readonly streams = new Map<OutputStream, Stream>()
  private last = 0

  constructor(header: Header) {
    this.version = header.version
    this.header = `${JSON.stringify(toJson(header))}\n`
  }

  /** A line for a chunk; none if it has no whole character. */
  output(at: number, bytes: Uint8Array, stream: OutputStream = "pty"): string {
    const known = this.streams.get(stream) ?? { decoder: utf8Decoder(), isReturned: false }
    this.streams.set(stream, known)
    return this.text(at, known.decoder.decode(bytes, { stream: true }), stream, known)
  }

  /** A line for a new size. */
  resize(at: number, { columns, rows }: TerminalSize): string {
    return this.event(at, "r", `${columns}x${rows}`)
  }

  /** A line for a marker, to which players can jump. */
  marker(at: number, label: string): string {
    return this.event(at, "m", label)
  }

  /** The last lines: halves of characters, and an exit code, which version 2 does not have. */
  end(at: number, exitCode?: number): string {
    const halves = [...this.streams].map(([stream, known]) =>
      this.text(at, known.decoder.decode(), stream, known),
    )
    const exit = this.version === 2 || exitCode === undefined ? "" : this.event(at, "x", `${exitCode}`)
    return halves.join("") + exit
  }

  private text(at: number, text: string, stream: OutputStream, known: Stream): string {
    if (text === "") return ""
    const shown = stream === "pty" ? text : returned(text, known.isReturned)
    known.isReturned = text.endsWith("\r")
    return this.event(at, "o", shown)
  }

  private event(at: number, code: string, data: string): string {
    const now = Math.max(this.last, Math.round(at))
    const time = this.version === 2 ? now : now - this.last
    this.last = now
    return `[${time / 1000}, "${code}", ${JSON.stringify(data)}]\n`
  }
}

/** With a carriage return before each end of a line. */
const returned = (text: string, isReturned: boolean): string =>
  text.replaceAll(/\r?\n/g, (end, index: number) =>
    end === "\n" && index === 0 && isReturned ? "\n" : "\r\n",
  )

const toJson = ({ version, columns, rows, timestamp, idleTimeLimit, command, title, term }: Header) => ({
  version,
  ...(version === 2 ? { width: columns, height: rows } : { term: { cols: columns, rows, type: term } }),
  timestamp,
  idle_time_limit: idleTimeLimit,
  command,
  title,
  ...(version === 2 && term !== undefined ? { env: { TERM: term } } : {}),
})
