/**
 * What a verdict rests on, in two numbers, and what was tested, in words: for badges and summaries, which say less than
 * a report. They hold no time and no address, so that the same result is the same text.
 */
import type { Dialect } from "../suite/Dialect.ts"
import * as Verdict from "./Verdict.ts"

/** What a run was about. */
export interface Subject {
  /** Whether a server, a client or a spawner was tested. */
  readonly kind: "server" | "client" | "spawner"
  /** The dialect of the wire. */
  readonly dialect: Dialect
  /** The version of the wire. */
  readonly wire: string
  /** The version of the suite. */
  readonly suite: string
}

/** How a run ended: `known` is one that passed with failures that the baseline expects. */
export type Result = "passed" | "known" | "failed"

/** The numbers of a run. */
export interface Tally {
  /** How a run ended. */
  readonly result: Result
  /** How many cases have passed, of those that count. */
  readonly passed: number
  /** How many cases count and were not skipped; each is counted once for a transport. */
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
