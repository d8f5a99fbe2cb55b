/**
 * Runs cases on one or more targets, several at a time, and returns the outcomes in the order of the cases.
 *
 * A case that no target can carry is listed once, as skipped. A wait that a failed case has left pending may fail later
 * without ending the run. If a server stops answering midway, the rest of its cases is `unplayed`.
 */
import type { Case } from "./Case.ts"
import { CheckFailure } from "./Check.ts"
import * as Preflight from "./Preflight.ts"
import { runCase, withheld, type CaseOptions, type Outcome } from "./RunCase.ts"
import type { Target } from "./Target.ts"
import { carries } from "./wire/TransportKind.ts"

/** Cases and their targets. */
export interface Plan extends CaseOptions {
  /** The cases, in the order of the outcomes. */
  readonly cases: ReadonlyArray<Case>
  /** The servers under test; one for each transport. */
  readonly targets: ReadonlyArray<Target>
  /** The number of cases that run at a time. */
  readonly parallel: number
}

/** One case on one target. */
export interface Job {
  /** The case. */
  readonly item: Case
  /** Its target. */
  readonly target: Target
}

/** Case after case, each on every target that can carry it. */
export const jobs = (plan: Pick<Plan, "cases" | "targets">): ReadonlyArray<Job> =>
  plan.cases.flatMap((item) => {
    const fitting = plan.targets.filter(({ kind }) => carries(item.transports, kind))
    return (fitting.length > 0 ? fitting : plan.targets.slice(0, 1)).map((target) => ({ item, target }))
  })

/** Called after each case, with how many are done. */
export type OnOutcome = (outcome: Outcome, done: number, of: number) => void

/** The outcomes of a plan of which nothing is played, for this reason. */
export const unplayed = (plan: Pick<Plan, "cases" | "targets">, reason: string): ReadonlyArray<Outcome> =>
  jobs(plan).map(({ item, target }) => withheld(item, target, "unplayed", reason))

/** So many silent failures of one target in a row make the run ask it again. */
const patience = 6

/**
 * The liveness of the servers of a run. After some silent failures of one target in a row the target is asked
 * again; if it does not answer, no further case of it is played: a server that dies midway costs seconds, not a
 * deadline for each case.
 */
interface Liveness {
  /** Why no further case of this target is played; `undefined` if it answers. Waits while the target is asked. */
  readonly stopped: (target: Target) => Promise<string | undefined>
  readonly saw: (target: Target, outcome: Pick<Outcome, "status" | "silent">) => void
}

/** Every target is held to answer until cases say otherwise. `timeoutMs` is the deadline of a single wait. */
const livenessOf = (timeoutMs: number): Liveness => {
  const silent = new Map<Target, number>()
  const asking = new Map<Target, Promise<string | undefined>>()
  return {
    stopped: async (target) => {
      const why = await asking.get(target)
      if (why === undefined) asking.delete(target)
      return why
    },
    saw: (target, outcome) => {
      if (outcome.status === "skip" || asking.has(target)) return
      const count = outcome.silent === true ? (silent.get(target) ?? 0) + 1 : 0
      silent.set(target, count % patience)
      if (count < patience) return
      asking.set(
        target,
        Preflight.check(target, timeoutMs).then((trouble) => trouble?.text),
      )
    },
  }
}

/** Any other error than a failed wait is a fault of the suite and ends the run. */
const abandoned = (error: unknown): void => {
  if (!(error instanceof CheckFailure)) throw error
}

/** Runs every case of the plan. Closes the targets. */
export const run = async (
  plan: Plan,
  onOutcome: OnOutcome = () => undefined,
): Promise<ReadonlyArray<Outcome>> => {
  const todo = jobs(plan)
  const outcomes: Array<Outcome | undefined> = todo.map(() => undefined)
  const liveness = livenessOf(plan.timeoutMs)
  let next = 0
  let done = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < todo.length; at = next++) {
      const { item, target } = todo[at] ?? {}
      if (item === undefined || target === undefined) return
      const stopped = await liveness.stopped(target)
      const outcome =
        stopped === undefined
          ? await runCase(item, target, plan)
          : withheld(item, target, "unplayed", stopped)
      if (stopped === undefined) liveness.saw(target, outcome)
      outcomes[at] = outcome
      onOutcome(outcome, ++done, todo.length)
    }
  }
  process.on("unhandledRejection", abandoned)
  try {
    await Promise.all(Array.from({ length: Math.max(1, plan.parallel) }, worker))
  } finally {
    for (const target of plan.targets) target.close()
    setImmediate(() => process.off("unhandledRejection", abandoned))
  }
  return outcomes.filter((outcome) => outcome !== undefined)
}
