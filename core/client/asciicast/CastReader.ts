/**
 * Reads a recording. Events of kinds that are not known are left out, as the format says, and so is a last line that
 * was cut, because its writer was killed.
 */
import * as Result from "effect/Result"
import { type Cast, CastError, type Event, type Header } from "./Cast.ts"

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
