/** What one seed tells a person. */
import * as Mix from "./Mix.ts"
import * as PlanMaker from "./PlanMaker.ts"
import { shrink } from "./Shrink.ts"
import { type Outcome, play } from "./Simulation.ts"

/** The lines of a trace that are shown. */
export const mostLines = 40

/** A played seed. */
export interface Report {
  readonly outcome: Outcome
  /** `seed 7 ok, trace HEX`, or what is wrong. */
  readonly text: string
}

/** Plays a seed with so many milliseconds of activity. */
export const ofSeed = (seed: number, millis: number, mix: Mix.Mix = Mix.all): Report => {
  const plan = PlanMaker.make(seed, millis, mix)
  const outcome = play(plan)
  const { violation, digest } = outcome
  if (violation === undefined) return { outcome, text: `seed ${seed} ok, trace ${digest}` }
  const shrunk = shrink(plan, outcome).outcome
  const minutes = millis === 60_000 ? "" : ` --minutes ${millis / 60_000}`
  const mixed = mix.size === Mix.all.size ? "" : ` --mix ${Mix.toText(mix)}`
  const lines = [
    `seed ${seed} FAILED after ${(violation.at / 1000).toFixed(3)} virtual seconds, trace ${digest}`,
    `invariant: ${violation.invariant}`,
    violation.detail,
    `the same with what it needs, after ${((shrunk.violation?.at ?? 0) / 1000).toFixed(3)} seconds:`,
    ...shown(shrunk),
    `again: npm run sim -- --seed ${seed}${minutes}${mixed}`,
  ]
  return { outcome, text: lines.join("\n") }
}

/** What is wrong with a seed, in one line; undefined if nothing is. Nothing is shrunk. */
export const faultOf = (seed: number, millis: number, mix?: Mix.Mix): string | undefined => {
  const { violation } = play(PlanMaker.make(seed, millis, mix))
  return violation === undefined ? undefined : `${violation.invariant}: ${violation.detail.split("\n")[0]}`
}

/** The last lines about what failed: its process, and what all have in common. */
const shown = ({ lines, violation }: Outcome): ReadonlyArray<string> => {
  if (lines.length <= mostLines) return lines
  const key = /\b[abfhp]\d+\.\d+\b/.exec(violation?.detail ?? "")?.[0]
  const about = lines.filter((line) => {
    const [named] = /\b[abfhp]\d+\.\d+\b/.exec(line) ?? []
    return named === undefined || key === undefined || named === key
  })
  return about.slice(-mostLines)
}
