/**
 * Plays cases about a seam and turns each into an outcome: for vitest, for a command line, for a program.
 * Whatever a case leaves behind is released by its context.
 *
 * Some at a time; then, one after the other, those that count what the whole process holds.
 */
import { CheckFailure } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"
import type { SeamCase } from "./SeamCase.ts"

/** What the cases are played on. */
export interface Subject<Need extends string, Context> {
  /** Why this need is not met here, if so. */
  readonly lacks: (need: Need) => string | undefined
  /** Everything one case works with. */
  readonly open: (item: SeamCase<Need, Context>, timeoutMs: number) => Promise<OpenContext<Context>>
}

export interface OpenContext<Context> {
  readonly context: Context
  readonly notes: ReadonlyArray<string>
  /** What is wrong whatever the case was about, if anything. */
  readonly fault: () => string | undefined
  readonly close: () => Promise<void>
}

export interface Outcome {
  readonly case: {
    readonly id: string
    readonly level: "must" | "should"
    readonly requires: ReadonlyArray<string>
    readonly says: string
  }
  readonly status: "pass" | "fail" | "skip"
  /** Why it failed or was skipped; empty for a pass. */
  readonly reason: string
  readonly ms: number
  readonly notes: ReadonlyArray<string>
}

export interface RunOptions {
  /** The deadline of a single wait; 30 s by default. It is only ever reached by what is broken. */
  readonly timeoutMs?: number
}

export const defaultTimeoutMs = 30_000

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

export interface PlayOptions extends RunOptions {
  /** How many cases at a time; 4 by default. */
  readonly parallel?: number
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

/** Good enough for exit code 0: no `must` has failed. */
export const passed = (outcomes: ReadonlyArray<Outcome>): boolean =>
  !outcomes.some((outcome) => outcome.status === "fail" && outcome.case.level === "must")

/** Why it failed, or nothing. */
const attempt = async (work: () => Promise<void>): Promise<string> => {
  try {
    await work()
    return ""
  } catch (error) {
    if (error instanceof CheckFailure) return error.message || "failed"
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}
