/**
 * The report for people: progress on a terminal, each failure with its evidence, and a summary by family and by level.
 *
 * There are colours only on a terminal, and never when NO_COLOR is set. All functions return text; only `progress`
 * writes.
 */
import * as Baseline from "./Baseline.ts"
import { family, type Level } from "../suite/Case.ts"
import * as Causes from "./Causes.ts"
import { quote } from "../suite/ShellWords.ts"
import { clip } from "../suite/Json.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Transcript from "../suite/Transcript.ts"
import * as Verdict from "./Verdict.ts"

/** The destination of a report: a standard stream, or a substitute. */
export interface Output {
  /** True for a terminal: colours and progress are for one only. */
  readonly isTTY?: boolean | undefined
  /** Cells of a line of the terminal. */
  readonly columns?: number | undefined
  /** Writes a text; what it returns is not looked at. */
  readonly write: (text: string) => unknown
}

/** The look of a report. */
export interface Style {
  /** Colours, as ANSI escape sequences. */
  readonly colour: boolean
  /** Whole transcripts and long texts. */
  readonly verbose: boolean
  /** The command that runs one case alone, up to the id. */
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

/** The command that runs this case alone. */
export const alone = (outcome: Outcome, style: Style): string =>
  [
    style.program,
    ...outcome.words.map(quote),
    ...(outcome.case.slow ? ["--slow"] : []),
    quote(outcome.case.id),
  ].join(" ")

/** One line about one case. */
export const line = (outcome: Outcome, style: Style, terms = Verdict.plain): string => {
  const paint = paints(style)
  const sign = {
    pass: paint.good("ok   "),
    fail: paint.bad("FAIL "),
    known: paint.dim("known"),
    told: paint.dim("told "),
    skip: paint.dim("skip "),
    unplayed: paint.bad("none "),
  }[Verdict.standing(outcome, terms)]
  const ran = outcome.status === "pass" || outcome.status === "fail"
  const said = ran ? Verdict.excuse(outcome, terms) : outcome.reason
  const why = said === "" ? "" : paint.dim(` (${said})`)
  const notes = outcome.notes.length > 0 ? paint.dim(` (${outcome.notes.join("; ")})`) : ""
  const time = ran ? paint.dim(` ${Math.round(outcome.ms)} ms`) : ""
  const { case: item, transport } = outcome
  return `${sign} ${item.level.padEnd(6)} ${transport.padEnd(5)} ${item.id}${time}${why}${notes}`
}

/** A failure with its evidence: the sentence, the reason, notes, the transcript, stderr, and a command to repeat it. */
export const failure = (outcome: Outcome, style: Style, terms = Verdict.plain): string => {
  const paint = paints(style)
  const told = Verdict.standing(outcome, terms) === "told"
  const { case: item } = outcome
  const spec = item.spec.length > 0 ? `, behaviour ${item.spec.join(", ")}` : ""
  const limit = style.verbose ? 400 : 24
  const sign = told ? paint.dim("told") : paint.bad("FAIL")
  return [
    `${sign} ${paint.bold(item.id)} ${paint.dim(`(${item.level}, ${outcome.transport}${spec})`)}`,
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

const standings: ReadonlyArray<Verdict.Standing> = ["pass", "fail", "known", "told", "skip"]

/** The number of ids of a cause that are listed, unless all are wanted. */
const listed = 4

/** The causes that more than one case has failed of, each with its cases. */
const causeLines = (verdict: Verdict.Verdict, style: Style): ReadonlyArray<string> => {
  const failed = verdict.outcomes.filter((outcome) =>
    ["fail", "told"].includes(Verdict.standing(outcome, verdict.terms)),
  )
  const shared = Causes.group(failed).filter(({ outcomes }) => outcomes.length > 1)
  const lines = shared.flatMap(({ outcomes, reason }) => {
    const ids = [...new Set(outcomes.map((outcome) => outcome.case.id))]
    const more = style.verbose ? 0 : Math.max(0, ids.length - listed)
    const names = ids.slice(0, ids.length - more).join(", ")
    const text = clip(reason.replace(/\s+/g, " "), style.verbose ? 4000 : 160)
    return [
      `${outcomes.length} cases: \`${text}\``,
      `  ${names}${more > 0 ? ` and ${more} more (-v lists them)` : ""}`,
    ]
  })
  return lines.length === 0 ? [] : [...lines, ""]
}

/** The reasons for unplayed cases; empty if all were played. */
export const stopped = ({ outcomes }: Verdict.Verdict): ReadonlyArray<string> => {
  const unplayed = outcomes.filter(({ status }) => status === "unplayed")
  return Causes.group(unplayed).map(
    (cause) =>
      `${cause.outcomes.length} cases over ${transportsOf(cause.outcomes)} were not played: ${cause.reason}`,
  )
}

const transportsOf = (outcomes: ReadonlyArray<Outcome>): string =>
  [...new Set(outcomes.map((outcome) => outcome.transport))].join(", ").replace(/, ([^,]*)$/, " and $1")

const staleLine = ({ entry, why }: Baseline.Stale): string => {
  const where = entry.transport === undefined ? "" : ` (${entry.transport})`
  return `stale entry in the baseline: ${entry.id}${where}: ${why}`
}

/** One sentence about the whole run. */
export const verdictLine = (verdict: Verdict.Verdict, ms: number, style: Style): string => {
  const paint = paints(style)
  const { outcomes, stale, terms } = verdict
  const count = (kind: Verdict.Standing): number =>
    outcomes.filter((outcome) => Verdict.standing(outcome, terms) === kind).length
  const [failed, unplayed] = [count("fail"), count("unplayed")]
  const why = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unplayed > 0 ? [`${unplayed} not played`] : []),
    ...(stale.length > 0 ? [`${stale.length} stale in the baseline`] : []),
    ...(count("pass") === 0 ? ["no case has passed"] : []),
  ].join(", ")
  const said = verdict.passed ? paint.good("conformant") : paint.bad(`not conformant (${why})`)
  return `${said}: ${outcomes.length} cases over ${transportsOf(outcomes)} in ${(ms / 1000).toFixed(1)} s`
}

/** The tables at the end of a run. */
export const summary = (verdict: Verdict.Verdict, ms: number, style: Style): string => {
  const paint = paints(style)
  const { outcomes, stale, terms } = verdict
  const row = (name: string, fits: (outcome: Outcome) => boolean): string => {
    const found = outcomes.filter(fits).map((outcome) => Verdict.standing(outcome, terms))
    const numbers = standings.map((one) => found.filter((other) => other === one).length)
    const text = `  ${name.padEnd(22)}${numbers.map((value) => String(value).padStart(6)).join("")}`
    return found.includes("fail") ? paint.bad(text) : text
  }
  const families = [...new Set(outcomes.map((outcome) => family(outcome.case.id)))]
  const levels: ReadonlyArray<Level> = ["must", "should", "peer"]
  return [
    `  ${"".padEnd(22)}${standings.map((name) => name.padStart(6)).join("")}`,
    ...families.map((name) => row(name, (outcome) => family(outcome.case.id) === name)),
    "",
    ...levels.map((level) => row(level, (outcome) => outcome.case.level === level)),
    "",
    ...causeLines(verdict, style),
    ...stopped(verdict).map(paint.bad),
    ...stale.map((one) => paint.bad(staleLine(one))),
    verdictLine(verdict, ms, style),
  ].join("\n")
}

/** A line that overwrites itself on a terminal; silent elsewhere. */
export const progress = (
  out: Output,
): { readonly show: (text: string) => void; readonly clear: () => void } => {
  const write = (text: string): void => {
    if (out.isTTY) out.write(`\r\u001b[2K${clip(text, Math.max(20, (out.columns ?? 80) - 24))}`)
  }
  return { show: write, clear: () => write("") }
}

/** The run as JSON, for other programs; `ms` is its duration in milliseconds. */
export const toJson = (verdict: Verdict.Verdict, version: string, ms: number): string =>
  `${JSON.stringify(
    {
      suite: "procwire-conformance",
      version,
      ms: Math.round(ms),
      passed: verdict.passed,
      stale: verdict.stale.map(({ entry, why }) => ({ ...entry, why })),
      stopped: stopped(verdict),
      cases: verdict.outcomes.map(({ case: item, transcript, stderr, ...outcome }) => ({
        id: item.id,
        level: item.level,
        transport: outcome.transport,
        status: outcome.status,
        counts: Verdict.counts(item.level, verdict.terms),
        known: Baseline.find(verdict.terms.baseline, { case: item, transcript, stderr, ...outcome })?.reason,
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
