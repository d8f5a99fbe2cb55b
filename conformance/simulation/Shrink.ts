/** Takes away from a plan all that its failure does not need: items of any list in it, wherever it is. */
import type { Plan } from "./Plan.ts"
import { play, type Outcome } from "./Simulation.ts"

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
export interface Shrunk {
  readonly plan: Plan
  readonly outcome: Outcome
}

type Path = ReadonlyArray<string | number>

type Part = { readonly [name: string | number]: Part } | ReadonlyArray<unknown>

/** The smallest plan that can be found from a failing one. */
export const shrink = (plan: Plan, outcome: Outcome): Shrunk => {
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
