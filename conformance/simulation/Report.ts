/** The report on one seed, for a person. */
import * as Mix from "./Mix.ts"
import type { Plan } from "./Plan.ts"
import * as PlanMaker from "./PlanMaker.ts"
import { shrink } from "./Shrink.ts"
import { type Outcome, play } from "./Simulation.ts"

/** The lines of a trace that are shown. */
export const mostLines = 40

export interface Report {
  readonly outcome: Outcome
  /** `seed 7 ok, trace HEX`, or what is wrong. */
  readonly text: string
}

/** Plays a seed with so many milliseconds of activity. */
export const ofSeed = (seed: number, millis: number, mix: Mix.Mix = Mix.usual): Report => {
  const minutes = millis === 60_000 ? "" : ` --minutes ${millis / 60_000}`
  const mixed = Mix.toText(mix) === Mix.toText(Mix.usual) ? "" : ` --mix ${Mix.toText(mix)}`
  return ofPlan(PlanMaker.make(seed, millis, mix), `${minutes}${mixed}`)
}

/** Plays a plan; `words` are behind its seed in the command that plays it again. */
export const ofPlan = (plan: Plan, words = ""): Report => {
  const { seed } = plan
  const outcome = play(plan)
  const { violation, digest } = outcome
  if (violation === undefined) return { outcome, text: `seed ${seed} ok, trace ${digest}` }
  const shrunk = shrink(plan, outcome).outcome
  const lines = [
    `seed ${seed} FAILED after ${(violation.at / 1000).toFixed(3)} virtual seconds, trace ${digest}`,
    `invariant: ${violation.invariant}`,
    violation.detail,
    `the same with what it needs, after ${((shrunk.violation?.at ?? 0) / 1000).toFixed(3)} seconds:`,
    ...shown(shrunk),
    ...waiting(shrunk),
    `again: npm run sim -- --seed ${seed}${words}`,
  ]
  return { outcome, text: lines.join("\n") }
}

/** Plays a seed, and tells its violation in a line, without the shortest way to it. */
export const briefly = (seed: number, millis: number, mix?: Mix.Mix): Report => {
  const outcome = play(PlanMaker.make(seed, millis, mix))
  return { outcome, text: `seed ${seed}: ${outcome.violation?.invariant ?? "ok"}` }
}

/** Fibers that are named when somebody waits for ever. */
const mostFibers = 12

/** The waiting fibers, if somebody waits for ever: first those that the failure is about, then those with a name. */
const waiting = ({ waiting, violation }: Outcome): ReadonlyArray<string> => {
  if (violation?.invariant !== "nobody waits for ever") return []
  const key = keyOf(violation.detail)
  const rank = (line: string) =>
    key !== undefined && line.includes(key) ? 0 : line.includes("a fiber") ? 2 : 1
  const lines = [...waiting].sort((one, other) => rank(one) - rank(other))
  return [`${lines.length} fibers wait:`, ...lines.slice(0, mostFibers)]
}

/** The program or process that a text names. */
const keyOf = (text: string): string | undefined => /\b[abdfhlprw]\d+\.\d+\b/.exec(text)?.[0]

/** A client asks whether the server is there, and it answers. */
const isProbe = (line: string): boolean => / [<>] environment\/status /.test(line)

/** The last lines about what failed: its process, and what all have in common but probes. */
const shown = ({ toLines, violation }: Outcome): ReadonlyArray<string> => {
  const lines = toLines()
  if (lines.length <= mostLines) return lines
  const key = keyOf(violation?.detail ?? "")
  const about = lines.filter((line) => {
    if (isProbe(line) && violation?.detail.includes("no answer") !== true) return false
    const named = keyOf(line)
    return named === undefined || key === undefined || named === key
  })
  return about.slice(-mostLines)
}
