/** The report on one seed, for a person. */
import * as Mix from "./Mix.ts"
import type { Plan } from "./Plan.ts"
import * as PlanMaker from "./PlanMaker.ts"
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

/** Runs that one shrinking may take. */
const mostRuns = 400

/** Lists of which every item is needed: clients have numbers, and consumers follow what they begin with. */
const whole: ReadonlySet<string> = new Set([
  "clients",
  "readers",
  "capacities",
  "quotas",
  "delay",
  "commands",
])

/** A plan that fails by the same invariant, and how. */
interface Shrunk {
  readonly plan: Plan
  readonly outcome: Outcome
}

type Path = ReadonlyArray<string | number>

type Part = { readonly [name: string | number]: Part } | ReadonlyArray<unknown>

/** The smallest plan that can be found from a failing one: items of any list in it are taken away, wherever it is. */
const shrink = (plan: Plan, outcome: Outcome): Shrunk => {
  let best: Shrunk = { plan, outcome }
  let runs = 0

  const improves = (candidate: Plan): boolean => {
    if (runs >= mostRuns) return false
    runs += 1
    const outcome = play(candidate)
    if (outcome.violation?.invariant !== best.outcome.violation?.invariant) return false
    best = { plan: candidate, outcome }
    return true
  }

  const without = (path: Path): boolean => {
    let smaller = false
    for (let size = listAt(best.plan, path).length; size >= 1; size >>= 1)
      for (let from = 0; from < listAt(best.plan, path).length;) {
        const items = listAt(best.plan, path)
        const rest = [...items.slice(0, from), ...items.slice(from + size)]
        if (improves(replaced(best.plan, path, rest) as Plan)) smaller = true
        else from += size
      }
    return smaller
  }

  for (let more = true; more && runs < mostRuns;) more = listsOf(best.plan).map(without).some(Boolean)
  return best
}

/** The paths of the lists in a part of a plan, outer ones first. */
const listsOf = (part: unknown, path: Path = []): ReadonlyArray<Path> => {
  if (typeof part !== "object" || part === null) return []
  const own = Array.isArray(part) && !whole.has(String(path.at(-1))) ? [path] : []
  const entries = Array.isArray(part) ? [...part.entries()] : Object.entries(part)
  const below = entries.map(([name, inner]) => listsOf(inner, [...path, name]))
  return [...own, ...below.flat().sort((one, other) => one.length - other.length)]
}

/** None any more if an outer list has become shorter. */
const listAt = (plan: unknown, path: Path): ReadonlyArray<unknown> => {
  const found = path.reduce<unknown>((part, name) => (part as Part | undefined)?.[name as number], plan)
  return Array.isArray(found) ? found : []
}

const replaced = (part: unknown, [name, ...path]: Path, items: ReadonlyArray<unknown>): unknown => {
  if (name === undefined) return items
  const inner = replaced((part as Part)[name as number], path, items)
  if (Array.isArray(part)) return part.map((item: unknown, at) => (at === name ? inner : item))
  return { ...(part as object), [name]: inner }
}
