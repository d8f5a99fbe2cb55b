/**
 * Who may start one more process: counts those that are not closed yet, of all sessions, and how many starts
 * come per second, as a bucket that holds a burst and fills at the rate.
 *
 * Plain arithmetic before any work: a refused start costs neither an id nor a fiber, and takes nothing from the bucket.
 */
import { LimitError, type Limits } from "../protocol/Limits.ts"

export interface StartGate {
  /**
   * Takes a place for a process of a session that has `inSession` already; `now` is in milliseconds. Answers why
   * not, where there is none.
   */
  readonly enter: (inSession: number, now: number) => LimitError | undefined
  /** A process is closed, or never came to be. */
  readonly leave: () => void
  /** How many are not closed. */
  readonly open: () => number
}

export const make = (
  limits: Pick<Limits, "sessionProcesses" | "processes" | "startsPerSecond" | "startBurst">,
): StartGate => {
  let open = 0
  let starts = limits.startBurst
  let filled = Number.NEGATIVE_INFINITY

  const refuse = (limit: keyof typeof limits) => new LimitError({ limit, value: limits[limit] })

  return {
    open: () => open,
    enter: (inSession, now) => {
      if (inSession >= limits.sessionProcesses) return refuse("sessionProcesses")
      if (open >= limits.processes) return refuse("processes")
      const since = Math.max(0, now - filled)
      starts = Math.min(limits.startBurst, starts + (since * limits.startsPerSecond) / 1000)
      filled = now
      if (starts < 1) return refuse("startsPerSecond")
      starts -= 1
      open += 1
      return undefined
    },
    leave: () => {
      open -= 1
    },
  }
}
