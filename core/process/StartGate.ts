/**
 * Limits on starting processes: on those that are not closed, per session and for the whole server, and on starts per
 * second (a token bucket that holds a burst and fills at the rate); and on those that are kept.
 *
 * Plain arithmetic before any work: a refused start costs no id and no fiber, and takes no token.
 */
import * as Result from "effect/Result"
import { LimitError, type Limits } from "../protocol/Limits.ts"

/** The places for processes of one session. */
export interface Places {
  /** Takes a place at the time `now`, in milliseconds. The returned function gives it back and is idempotent. */
  readonly take: (now: number) => Result.Result<() => void, LimitError>
  /** Gives back every place: the session is over. */
  readonly close: () => void
}

/** The limits of one server. */
export interface StartGate {
  /** The places of a new session. */
  readonly open: () => Places
  /** The number of places that all sessions have taken. */
  readonly taken: () => number
  /** Takes a place for a process that is kept. The returned function gives it back, once. */
  readonly keep: () => Result.Result<() => void, LimitError>
}

/** A gate for one server; no place is taken and the bucket is full. */
export const make = (
  limits: Pick<Limits, "sessionProcesses" | "processes" | "startsPerSecond" | "startBurst" | "keptProcesses">,
): StartGate => {
  let taken = 0
  let kept = 0
  let starts = limits.startBurst
  let filled = Number.NEGATIVE_INFINITY

  const refuse = (limit: keyof typeof limits) => Result.fail(new LimitError({ limit, value: limits[limit] }))

  const fill = (now: number) => {
    const since = Math.max(0, now - filled)
    starts = Math.min(limits.startBurst, starts + (since * limits.startsPerSecond) / 1000)
    filled = now
  }

  const open = (): Places => {
    const places = new Set<() => void>()
    return {
      take: (now) => {
        if (places.size >= limits.sessionProcesses) return refuse("sessionProcesses")
        if (taken >= limits.processes) return refuse("processes")
        fill(now)
        if (starts < 1) return refuse("startsPerSecond")
        starts -= 1
        taken += 1
        const leave = () => {
          if (places.delete(leave)) taken -= 1
        }
        places.add(leave)
        return Result.succeed(leave)
      },
      close: () => {
        for (const leave of places) leave()
      },
    }
  }

  const keep = (): Result.Result<() => void, LimitError> => {
    if (kept >= limits.keptProcesses) return refuse("keptProcesses")
    kept += 1
    return Result.succeed(() => {
      kept -= 1
    })
  }

  return { open, keep, taken: () => taken }
}
