/**
 * Failures grouped by their cause, so that one defect that fails sixty cases is read once.
 *
 * Two failures have one cause if their reasons differ only in numbers, in the ids that cases make up, and in the
 * message that is quoted at the end.
 */
import type { Outcome } from "../suite/RunCase.ts"

/** Failures with one cause, in the order of the run. */
export interface Cause {
  /** The reason of the first one. */
  readonly reason: string
  /** The failures with this cause, in the order in which they were played. */
  readonly outcomes: ReadonlyArray<Outcome>
}

/** The key that all failures of one cause share. */
export const keyOf = (reason: string): string =>
  reason
    .replace(/: [{[].*$/s, "")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "#")
    .replace(/\bproc-[0-9a-f]+\b/g, "#")
    .replace(/\d+/g, "#")

/** The causes of these failures; the one with the most failures first. */
export const group = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Cause> => {
  const causes = new Map<string, { readonly reason: string; readonly outcomes: Array<Outcome> }>()
  for (const outcome of outcomes) {
    const key = keyOf(outcome.reason)
    const cause = causes.get(key) ?? { reason: outcome.reason, outcomes: [] }
    cause.outcomes.push(outcome)
    causes.set(key, cause)
  }
  return [...causes.values()].sort((one, other) => other.outcomes.length - one.outcomes.length)
}
