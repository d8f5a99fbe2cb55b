/**
 * A run as a section for a README: the verdict, the numbers of each group, what was skipped and why, and the failures
 * by their cause. It has no date, no duration and no address, so that a run with the same result gives the same text.
 */
import * as Baseline from "./Baseline.ts"
import * as Causes from "./Causes.ts"
import * as Report from "./Report.ts"
import { family } from "../suite/Case.ts"
import { clip } from "../suite/Json.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Tally from "./Tally.ts"
import * as Verdict from "./Verdict.ts"

/** A text as code, on one line, whatever signs are in it. */
const code = (text: string): string => {
  const line = clip(text.replace(/\s+/g, " ").trim(), 200)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

/** The parts of a reason that differ from run to run: ids that cases make up, and large numbers such as ports and pids. */
const steady = (reason: string): string =>
  reason
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…")
    .replace(/\bproc-[0-9a-f]+\b/g, "proc-…")
    .replace(/(\bafter |\bin )\d+(\.\d+)? (ms|s)\b/g, "$1… $3")
    .replace(/:\d{4,5}\b/g, ":…")

/** The number of ids of one cause that are listed. */
const listed = 8

const ids = (outcomes: ReadonlyArray<Outcome>): string => {
  const all = [...new Set(outcomes.map((outcome) => outcome.case.id))]
  const more = all.length > listed ? ` and ${all.length - listed} more` : ""
  return `${all.slice(0, listed).map(code).join(", ")}${more}`
}

const cases = (count: number): string => (count === 1 ? "1 case" : `${count} cases`)

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`### ${title}`, "", ...lines.map((line) => `- ${line}`), ""]

const byCause = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  Causes.group(outcomes).map(
    (cause) => `${cases(cause.outcomes.length)}: ${code(steady(cause.reason))}: ${ids(cause.outcomes)}`,
  )

const skips = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  Causes.group(outcomes).map((cause) => `${cases(cause.outcomes.length)}: ${code(steady(cause.reason))}`)

const columns: ReadonlyArray<readonly [title: string, of: Verdict.Standing]> = [
  ["pass", "pass"],
  ["fail", "fail"],
  ["expected to fail", "known"],
  ["do not count", "told"],
  ["skipped", "skip"],
]

const table = ({ outcomes, terms }: Verdict.Verdict): ReadonlyArray<string> => {
  const row = (name: string, some: ReadonlyArray<Outcome>): string => {
    const standings = some.map((outcome) => Verdict.standing(outcome, terms))
    const numbers = columns.map(([, of]) => standings.filter((one) => one === of).length)
    return `| ${name} | ${numbers.join(" | ")} |`
  }
  const groups = [...new Set(outcomes.map((outcome) => family(outcome.case.id)))]
  return [
    `| group | ${columns.map(([title]) => title).join(" | ")} |`,
    `| --- |${" ---: |".repeat(columns.length)}`,
    ...groups.map((group) =>
      row(
        group,
        outcomes.filter((outcome) => family(outcome.case.id) === group),
      ),
    ),
    row("all", outcomes),
    "",
  ]
}

const sentence = (verdict: Verdict.Verdict, { kind, wire }: Tally.Subject): string => {
  const { counted, passed, result } = Tally.make(verdict)
  const said = result === "failed" ? "Not conformant" : "Conformant"
  const what = kind === "spawner" ? "as a spawner" : `as a ${kind} of the wire ${wire}`
  const but = result === "known" ? "; the others are expected to fail" : ""
  return `**${said}** ${what}: ${passed} of ${counted} cases that count have passed${but}.`
}

/** The section. Its heading is of the second level. */
export const make = (verdict: Verdict.Verdict, subject: Tally.Subject): string => {
  const { outcomes, stale, terms } = verdict
  const of = (kind: Verdict.Standing) =>
    outcomes.filter((outcome) => Verdict.standing(outcome, terms) === kind)
  const known = of("known").map(
    (outcome) => `${code(outcome.case.id)}: ${Baseline.find(terms.baseline, outcome)?.reason ?? ""}`,
  )
  const transports = [...new Set(outcomes.map(({ transport }) => transport))]
  return [
    "## Conformance",
    "",
    sentence(verdict, subject),
    "",
    ...table(verdict),
    ...section("Failures", byCause(of("fail"))),
    ...section("Failures that do not count", byCause(of("told"))),
    ...section("Expected failures", [...new Set(known)]),
    ...section("Stale entries of the baseline", [
      ...new Set(stale.map(({ entry, why }) => `${code(entry.id)}: ${why}`)),
    ]),
    ...section("Not played", Report.stopped(verdict).map(steady)),
    ...section("Skipped", skips(of("skip"))),
    `procwire-conformance ${subject.suite}${terms.strict ? " --strict" : ""} over ${transports.join(", ")}`,
    "",
  ].join("\n")
}
