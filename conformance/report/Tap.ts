/**
 * A run in TAP 14: a test point for each case and transport that was played, then one for each stale entry of the
 * baseline, and `Bail out!` if a server has stopped answering or no case has passed.
 *
 * A failure that does not count is marked TODO, so a consumer of TAP reaches the same verdict as the exit code.
 */
import * as Report from "./Report.ts"
import type { Outcome } from "../suite/RunCase.ts"
import * as Transcript from "../suite/Transcript.ts"
import * as Verdict from "./Verdict.ts"

/** A text of one line, in which no `#` begins a directive. */
const plain = (text: string): string => text.replace(/[\\#]/g, "\\$&").replace(/\s+/g, " ").trim()

/** The YAML block of a failure; JSON texts are YAML, too. */
const diagnostics = (outcome: Outcome, style: Report.Style): ReadonlyArray<string> => [
  "  ---",
  `  message: ${JSON.stringify(outcome.reason)}`,
  `  level: ${outcome.case.level}`,
  `  transport: ${outcome.transport}`,
  `  says: ${JSON.stringify(outcome.case.says)}`,
  `  alone: ${JSON.stringify(Report.alone(outcome, style))}`,
  ...(outcome.notes.length > 0 ? [`  notes: ${JSON.stringify(outcome.notes)}`] : []),
  ...(outcome.stderr === "" ? [] : [`  stderr: ${JSON.stringify(outcome.stderr)}`]),
  "  transcript:",
  ...Transcript.lines(outcome.transcript, 24, 400).map((line) => `    - ${JSON.stringify(line)}`),
  "  ...",
]

/** The whole document. */
export const make = (verdict: Verdict.Verdict, style: Report.Style): string => {
  const { outcomes, stale, terms } = verdict
  const points = outcomes.flatMap((outcome, index) => {
    const name = `${index + 1} - ${plain(`${outcome.case.id} (${outcome.case.level}, ${outcome.transport})`)}`
    if (outcome.status === "skip") return [`ok ${name} # SKIP ${plain(outcome.reason)}`]
    if (outcome.status === "pass") return [`ok ${name}`]
    if (outcome.status === "unplayed") return []
    const excuse = Verdict.excuse(outcome, terms)
    const directive = excuse === "" ? "" : ` # TODO ${plain(excuse)}`
    return [`not ok ${name}${directive}`, ...diagnostics(outcome, style)]
  })
  const old = stale.map(
    ({ entry, why }, index) =>
      `not ok ${outcomes.length + index + 1} - ${plain(`stale entry in the baseline: ${entry.id}, ${why}`)}`,
  )
  const none = outcomes.some(({ status }) => status === "pass") ? [] : ["no case has passed"]
  const stopped = Report.stopped(verdict)
  const end = (stopped.length > 0 ? stopped : none).map((why) => `Bail out! ${plain(why)}`)
  const plan = `1..${outcomes.length + stale.length}`
  return `${["TAP version 14", plan, ...points, ...old, ...end].join("\n")}\n`
}
