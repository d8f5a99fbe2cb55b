/**
 * The verdict on a run: which failures count, which are expected, and which are only reported.
 *
 * A failed `must` counts, with `strict` also a failed `should`; `peer` never does. A failure that the baseline expects
 * does not count. A stale entry of the baseline fails the run like a failed case. So does a case that was not played
 * because its server had stopped answering, and a run in which no case has passed is never a success.
 */
import * as Baseline from "./Baseline.ts"
import type { Case, Level } from "../suite/Case.ts"
import type { Outcome } from "../suite/RunCase.ts"

/** The rules of a verdict. */
export interface Terms {
  /** Failed `should` cases count, too. */
  readonly strict: boolean
  /** The failures that are expected. */
  readonly baseline: ReadonlyArray<Baseline.Entry>
}

/** No failure is expected, and only `must` counts. */
export const plain: Terms = { strict: false, baseline: [] }

/** `known` is a failure that the baseline expects, `told` a failure on a level that does not count. */
export type Standing = "pass" | "fail" | "known" | "told" | "skip" | "unplayed"

/** A run that was judged. */
export interface Verdict {
  /** The rules that it was judged by. */
  readonly terms: Terms
  /** Every outcome, in the order of the run. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The entries of the baseline that no longer hold. */
  readonly stale: ReadonlyArray<Baseline.Stale>
  /** True if no failure counts and no entry is stale. */
  readonly passed: boolean
}

/** True if a failure on this level counts. */
export const counts = (level: Level, terms: Terms): boolean =>
  level === "must" || (terms.strict && level === "should")

/** The outcome under these terms. */
export const standing = (outcome: Outcome, terms: Terms): Standing => {
  if (outcome.status !== "fail") return outcome.status
  if (Baseline.find(terms.baseline, outcome) !== undefined) return "known"
  return counts(outcome.case.level, terms) ? "fail" : "told"
}

/** The reason for which a failure does not count, in words; empty for one that does. */
export const excuse = (outcome: Outcome, terms: Terms): string => {
  const kind = standing(outcome, terms)
  if (kind === "known") return `known: ${Baseline.find(terms.baseline, outcome)?.reason ?? ""}`
  return kind === "told" ? `only told, its level is ${outcome.case.level}` : ""
}

/** Judges a run. `cases` are all that exist, not only those that ran. */
export const make = (
  outcomes: ReadonlyArray<Outcome>,
  cases: ReadonlyArray<Case>,
  terms: Terms = plain,
): Verdict => {
  const stale = Baseline.stale(terms.baseline, cases, outcomes)
  const standings = outcomes.map((outcome) => standing(outcome, terms))
  const failed = standings.some((one) => one === "fail" || one === "unplayed")
  const passed = stale.length === 0 && !failed && standings.includes("pass")
  return { terms, outcomes, stale, passed }
}
