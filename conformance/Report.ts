/**
 * What a reader sees: progress on a terminal, each failure with its evidence, and a summary by family and by level.
 *
 * Colours appear only on a terminal and never when NO_COLOR is set. The report is text in, text out; only `progress` writes.
 */
import { family, type Level } from "./Case.ts"
import { quote } from "./CommandLine.ts"
import { clip } from "./Json.ts"
import type { Outcome } from "./RunCase.ts"
import * as Transcript from "./Transcript.ts"

export interface Style {
  readonly colour: boolean
  readonly verbose: boolean
  /** Words before the id in the command that runs one case alone. */
  readonly program: string
}

type Paint = (text: string) => string

const paints = (style: Style): { readonly [name in "good" | "bad" | "dim" | "bold"]: Paint } => {
  const paint =
    (code: number): Paint =>
    (text) =>
      style.colour ? `\u001b[${code}m${text}\u001b[0m` : text
  return { good: paint(32), bad: paint(31), dim: paint(2), bold: paint(1) }
}

const count = (outcomes: ReadonlyArray<Outcome>, status: Outcome["status"]): number =>
  outcomes.filter((outcome) => outcome.status === status).length

/** The command that runs this case alone. */
export const alone = (outcome: Outcome, style: Style): string =>
  [
    style.program,
    ...outcome.words.map(quote),
    ...(outcome.case.slow ? ["--slow"] : []),
    quote(outcome.case.id),
  ].join(" ")

/** One line about one case. */
export const line = (outcome: Outcome, style: Style): string => {
  const paint = paints(style)
  const sign = { pass: paint.good("ok  "), fail: paint.bad("FAIL"), skip: paint.dim("skip") }[outcome.status]
  const why = outcome.status === "skip" ? paint.dim(` (${outcome.reason})`) : ""
  const notes = outcome.notes.length > 0 ? paint.dim(` (${outcome.notes.join("; ")})`) : ""
  const time = outcome.status === "skip" ? "" : paint.dim(` ${Math.round(outcome.ms)} ms`)
  return `${sign} ${outcome.case.level.padEnd(6)} ${outcome.transport.padEnd(5)} ${outcome.case.id}${time}${why}${notes}`
}

/** All there is to know about a failure. */
export const failure = (outcome: Outcome, style: Style): string => {
  const paint = paints(style)
  const { case: item } = outcome
  const spec = item.spec.length > 0 ? `, behaviour ${item.spec.join(", ")}` : ""
  const limit = style.verbose ? 400 : 24
  return [
    `${paint.bad("FAIL")} ${paint.bold(item.id)} ${paint.dim(`(${item.level}, ${outcome.transport}${spec})`)}`,
    `  ${item.says}`,
    `  ${paint.bad("but:")} ${clip(outcome.reason, style.verbose ? 4000 : 900)}`,
    ...outcome.notes.map((note) => `  note: ${note}`),
    ...Transcript.lines(outcome.transcript, limit, style.verbose ? 2000 : 220).map(
      (entry) => `  ${paint.dim(entry)}`,
    ),
    ...(outcome.stderr === "" ? [] : [`  stderr: ${clip(outcome.stderr, style.verbose ? 4000 : 300)}`]),
    `  alone: ${alone(outcome, style)}`,
  ].join("\n")
}

/** The tables at the end of a run. */
export const summary = (outcomes: ReadonlyArray<Outcome>, ms: number, style: Style): string => {
  const paint = paints(style)
  const row = (name: string, some: ReadonlyArray<Outcome>): string => {
    const bad = count(some, "fail")
    const cells = [count(some, "pass"), bad, count(some, "skip")].map((value) => String(value).padStart(6))
    const text = `  ${name.padEnd(22)}${cells.join("")}`
    return bad > 0 ? paint.bad(text) : text
  }
  const families = [...new Set(outcomes.map((outcome) => family(outcome.case.id)))]
  const levels: ReadonlyArray<Level> = ["must", "should", "peer"]
  const failedMust = outcomes.some((outcome) => outcome.status === "fail" && outcome.case.level === "must")
  const transports = [...new Set(outcomes.map((outcome) => outcome.transport))].join(" and ")
  return [
    `  ${"".padEnd(22)}${["pass", "fail", "skip"].map((name) => name.padStart(6)).join("")}`,
    ...families.map((name) =>
      row(
        name,
        outcomes.filter((outcome) => family(outcome.case.id) === name),
      ),
    ),
    "",
    ...levels.map((level) =>
      row(
        level,
        outcomes.filter((outcome) => outcome.case.level === level),
      ),
    ),
    "",
    `${failedMust ? paint.bad("not conformant") : paint.good("conformant")}: ${outcomes.length} cases over ${transports} in ${(ms / 1000).toFixed(1)} s`,
  ].join("\n")
}

/** A line that overwrites itself on a terminal; silent elsewhere. */
export const progress = (
  out: NodeJS.WriteStream,
): { readonly show: (text: string) => void; readonly clear: () => void } => {
  const write = (text: string): void => {
    if (out.isTTY) out.write(`\r\u001b[2K${clip(text, Math.max(20, (out.columns ?? 80) - 24))}`)
  }
  return { show: write, clear: () => write("") }
}

/** The run as data, for other programs. */
export const toJson = (outcomes: ReadonlyArray<Outcome>, version: string, ms: number): string =>
  `${JSON.stringify(
    {
      suite: "procwire-conformance",
      version,
      ms: Math.round(ms),
      cases: outcomes.map(({ case: item, transcript, stderr, ...outcome }) => ({
        id: item.id,
        level: item.level,
        transport: outcome.transport,
        status: outcome.status,
        reason: outcome.reason,
        notes: outcome.notes,
        ms: Math.round(outcome.ms),
        spec: item.spec,
        says: item.says,
        ...(outcome.status === "fail" ? { transcript, stderr } : {}),
      })),
    },
    undefined,
    2,
  )}\n`
