/**
 * Whether the servers of a run still answer. After some failures of one target in a row, each because nothing came in
 * time or nobody was there, the target is asked again ({@link Preflight}); if it does not answer, no further case of
 * it is played, so that a server that dies midway costs seconds and not a deadline for each case.
 */
import * as Preflight from "./Preflight.ts"
import type { Outcome } from "./RunCase.ts"
import type { Target } from "./Target.ts"

/** So many silent failures of one target in a row make the run ask it again. */
export const patience = 6

/** What is known of the targets of a run. */
export interface Liveness {
  /** Why no further case of this target is played; `undefined` if it answers. Waits while the target is asked. */
  readonly stopped: (target: Target) => Promise<string | undefined>
  /** Learns from the outcome of a case. */
  readonly saw: (target: Target, outcome: Pick<Outcome, "status" | "silent">) => void
}

/** Every target is held to answer until cases say otherwise. `timeoutMs` is the deadline of a single wait. */
export const make = (timeoutMs: number): Liveness => {
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
