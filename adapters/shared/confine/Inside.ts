/**
 * Whether a child of bubblewrap runs already. Until then signals are ignored, for bubblewrap and for what it forks, and
 * one that is sent is lost. So signals wait.
 *
 * Bubblewrap is the parent of the first process of the new PID namespace, and that is the parent of the child. What
 * tells that the child obeys signals is the last real-time signal, which the shield ignores and hardly any program.
 */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** The pause between two looks, while a signal waits. */
const step = "2 millis"

/** A child that ignores every signal, or cannot be seen from here, is signalled after this time. */
const longest = "30 seconds"

/** Completes when the child inside of the bubblewrap with this pid obeys signals, or when that has ended. */
export const wait = (pid: number, ended: () => boolean): Effect.Effect<void> =>
  Effect.sync(() => ended() || obeys(pid)).pipe(
    Effect.repeat({ until: (over) => over, schedule: Schedule.spaced(step) }),
    Effect.timeoutOption(longest),
    Effect.asVoid,
  )

const obeys = (bubblewrap: number): boolean => {
  try {
    let child = onlyChild(onlyChild(bubblewrap))
    // A process that ignores them may be another bubblewrap, inside of this one.
    while (child !== undefined && ignores(child)) child = onlyChild(child)
    return child !== undefined
  } catch {
    // Nobody is there any more, or this kernel does not list children.
    return true
  }
}

const ignores = (pid: number): boolean => {
  const [, ignored = ""] = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return /^[89a-f]/.test(ignored)
}

const onlyChild = (pid: number | undefined): number | undefined => {
  if (pid === undefined) return undefined
  const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")
  return first === "" ? undefined : Number(first)
}
