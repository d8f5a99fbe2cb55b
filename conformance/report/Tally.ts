/**
 * The grounds of a verdict in two numbers, and the subject in words: for badges and summaries, which say less than
 * a report. They hold no time and no address, so that the same result is the same text.
 */
import type { Dialect } from "../suite/Dialect.ts"
import * as Verdict from "./Verdict.ts"

export interface Subject {
  readonly kind: "server" | "client" | "spawner"
  readonly dialect: Dialect
  readonly wire: string
  readonly suite: string
}

/** The end of a run: `known` is one that passed with failures that the baseline expects. */
export type Result = "passed" | "known" | "failed"

export interface Tally {
  readonly result: Result
  /** The number of cases that have passed, of those that count. */
  readonly passed: number
  /** The number of cases that count and were not skipped; each is counted once for a transport. */
  readonly counted: number
}

/** Counts the cases that the verdict rests on. */
export const make = (verdict: Verdict.Verdict): Tally => {
  const { outcomes, terms } = verdict
  const counted = outcomes.filter((one) => Verdict.counts(one.case.level, terms) && one.status !== "skip")
  const passed = counted.filter(({ status }) => status === "pass").length
  const result = !verdict.passed ? "failed" : passed === counted.length ? "passed" : "known"
  return { result, passed, counted: counted.length }
}
