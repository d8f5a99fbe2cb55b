/**
 * What the outcomes of a run mean together: which failures count, which are expected, which are only told.
 *
 * A failed `must` counts, under `strict` also a failed `should`; `peer` never does. What the baseline expects does not
 * count, and a stale entry of the baseline fails the run like a failed case.
 */
import * as Baseline from "./Baseline.ts"
import type { Case, Level } from "../suite/Case.ts"
import type { Outcome } from "../suite/RunCase.ts"

export interface Terms {
  /** Failed `should` cases count, too. */
  readonly strict: boolean
  readonly baseline: ReadonlyArray<Baseline.Entry>
}

/** Nothing is expected, only `must` counts. */
export const plain: Terms = { strict: false, baseline: [] }

/** `known` is a failure that the baseline expects, `told` one of a level that does not count. */
export type Standing = "pass" | "fail" | "known" | "told" | "skip"

export interface Verdict {
  readonly terms: Terms
  readonly outcomes: ReadonlyArray<Outcome>
  readonly stale: ReadonlyArray<Baseline.Stale>
  readonly passed: boolean
}

export const counts = (level: Level, terms: Terms): boolean =>
  level === "must" || (terms.strict && level === "should")

export const standing = (outcome: Outcome, terms: Terms): Standing => {
  if (outcome.status !== "fail") return outcome.status
  if (Baseline.find(terms.baseline, outcome) !== undefined) return "known"
  return counts(outcome.case.level, terms) ? "fail" : "told"
}

/** Why a failure does not count, in words; empty for one that does. */
export const excuse = (outcome: Outcome, terms: Terms): string => {
  const kind = standing(outcome, terms)
  if (kind === "known") return `known: ${Baseline.find(terms.baseline, outcome)?.reason ?? ""}`
  return kind === "told" ? `only told, its level is ${outcome.case.level}` : ""
}

/** Judges a run. `cases` are all there are, not only those that ran. */
export const make = (
  outcomes: ReadonlyArray<Outcome>,
  cases: ReadonlyArray<Case>,
  terms: Terms = plain,
): Verdict => {
  const stale = Baseline.stale(terms.baseline, cases, outcomes)
  const passed = stale.length === 0 && !outcomes.some((outcome) => standing(outcome, terms) === "fail")
  return { terms, outcomes, stale, passed }
}
