/**
 * Runs cases about a seam and turns each into an outcome. The context of a case releases what the case leaves behind.
 *
 * Several cases run at a time; those that count what the whole process holds run after them, one by one.
 */
import { CheckFailure } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"
import { select, type Choice, type Known, type SeamCase } from "./SeamCase.ts"

/** The subject of cases. */
export interface Subject<Need extends string, Context> {
  /** The reason for which this need is not met; `undefined` if it is. */
  readonly lacks: (need: Need) => string | undefined
  /** Everything one case works with. */
  readonly open: (item: SeamCase<Need, Context>, timeoutMs: number) => Promise<OpenContext<Context>>
  /** Releases the subject. */
  readonly close?: () => Promise<void>
}

/** A seam: its cases, and the subject that a source is, with what else its suite takes. */
export interface Seam<Source, More, Need extends string, Context> {
  /** Every case, in the order in which they are listed. */
  readonly cases: ReadonlyArray<SeamCase<Need, Context>>
  /** Makes the subject of the cases. */
  readonly open: (source: Source, more: More) => Promise<Subject<Need, Context>> | Subject<Need, Context>
}

/** A glob matches no case, or a source is none: a usage error, not a failure of the subject. */
export class UsageError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UsageError"
}

/** The chosen cases of a seam. Fails with a {@link UsageError} for a glob that matches none. */
export const chosen = <Need extends string, Context>(
  cases: ReadonlyArray<SeamCase<Need, Context>>,
  choice: Choice,
): ReadonlyArray<SeamCase<Need, Context>> => {
  const { cases: found, unknown } = select(cases, choice)
  if (unknown.length > 0) throw new UsageError(`no case matches ${unknown.join(", ")}`)
  return found
}

/** The context of a case that runs. */
export interface OpenContext<Context> {
  /** The context of the case. */
  readonly context: Context
  /** Figures that the case reports. */
  readonly notes: ReadonlyArray<string>
  /** A violation of what holds in every case, if there was one. */
  readonly fault: () => string | undefined
  /** Releases everything that the case has left behind. */
  readonly close: () => Promise<void>
}

/** The result of a case. */
export interface Outcome {
  /** The case, without its function. */
  readonly case: {
    readonly id: string
    readonly level: "must" | "should"
    readonly requires: ReadonlyArray<string>
    readonly says: string
  }
  /** `skip`: the case did not run. */
  readonly status: "pass" | "fail" | "skip"
  /** The reason of a failure or a skip; empty for a pass. */
  readonly reason: string
  /** The duration of the case, in milliseconds. */
  readonly ms: number
  /** Figures that the case reports. */
  readonly notes: ReadonlyArray<string>
}

/** Options for one case. */
export interface RunOptions {
  /** The deadline of a single wait in milliseconds, 120,000 by default. Only a faulty subject reaches it. */
  readonly timeoutMs?: number
}

/** In milliseconds. */
export const defaultTimeoutMs = 120_000

/** Never fails: everything that goes wrong is in the outcome. */
export const play = async <Need extends string, Context>(
  item: SeamCase<Need, Context>,
  subject: Subject<Need, Context>,
  { timeoutMs = defaultTimeoutMs }: RunOptions,
): Promise<Outcome> => {
  const skipped = item.requires.map(subject.lacks).find((reason) => reason !== undefined)
  if (skipped !== undefined) return { case: item, status: "skip", reason: skipped, ms: 0, notes: [] }
  const began = performance.now()
  const notes: Array<string> = []
  const reason = await attempt(async () => {
    const opened = await within(subject.open(item, timeoutMs), timeoutMs, "the start of the case")
    let failure = await attempt(() => within(item.run(opened.context), timeoutMs * 6, "the whole case"))
    if (failure === "") failure = opened.fault() ?? ""
    const late = await attempt(() => within(opened.close(), timeoutMs, "everything of the case to close"))
    notes.push(...opened.notes)
    const told = [failure, late, opened.fault() ?? ""].find((text) => text !== "")
    if (told !== undefined) throw new CheckFailure(told)
  })
  const status = reason === "" ? "pass" : "fail"
  return { case: item, status, reason, ms: performance.now() - began, notes }
}

/** Options for a run of several cases. */
export interface PlayOptions extends RunOptions {
  /** The number of cases at a time; 4 by default. */
  readonly parallel?: number
  /** Called after each case, with how many are done. */
  readonly onOutcome?: (outcome: Outcome, done: number, of: number) => void
}

/** Every outcome, in the order of the cases. */
export const playAll = async <Need extends string, Context>(
  cases: ReadonlyArray<SeamCase<Need, Context>>,
  subject: Subject<Need, Context>,
  options: PlayOptions,
): Promise<ReadonlyArray<Outcome>> => {
  const outcomes = new Map<string, Outcome>()
  const playSome = async (some: ReadonlyArray<SeamCase<Need, Context>>, atOnce: number) => {
    const todo = [...some]
    const worker = async () => {
      for (let item = todo.shift(); item !== undefined; item = todo.shift()) {
        const outcome = await play(item, subject, options)
        outcomes.set(item.id, outcome)
        options.onOutcome?.(outcome, outcomes.size, cases.length)
      }
    }
    await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
  }
  const together = cases.filter(({ alone }) => !alone)
  await playSome(together, options.parallel ?? 4)
  const single = cases.filter(({ alone }) => alone)
  await playSome(single, 1)
  return cases.flatMap(({ id }) => outcomes.get(id) ?? [])
}

/** Runs the chosen cases of a seam on a source. Rejects with a {@link UsageError} or the error of its subject. */
export const runner =
  <Source, More, Need extends string, Context>(seam: Seam<Source, More, Need, Context>) =>
  async (
    source: Source,
    options: Choice & PlayOptions & Partial<More> = {},
  ): Promise<ReadonlyArray<Outcome>> => {
    const cases = chosen(seam.cases, options)
    const subject = await seam.open(source, options as More)
    try {
      return await playAll(cases, subject, options)
    } finally {
      await subject.close?.()
    }
  }

/** The entries of `known` whose case passes. */
export const stale = (outcomes: ReadonlyArray<Outcome>, known: Known): ReadonlyArray<string> =>
  outcomes.flatMap(({ case: { id }, status }) => (status === "pass" && known[id] !== undefined ? [id] : []))

/** True if some case has passed, no `must` has failed that is not known to fail, and nothing known is stale. */
export const passed = (outcomes: ReadonlyArray<Outcome>, known: Known = {}): boolean =>
  outcomes.some(({ status }) => status === "pass") &&
  stale(outcomes, known).length === 0 &&
  !outcomes.some(
    ({ case: item, status }) => status === "fail" && item.level === "must" && known[item.id] === undefined,
  )

/** The error of the work; empty if it succeeded. */
const attempt = async (work: () => Promise<void>): Promise<string> => {
  try {
    await work()
    return ""
  } catch (error) {
    if (error instanceof CheckFailure) return error.message || "failed"
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}
