/**
 * Who may start one more process: counts those that are not closed yet, of a session and of all, and how many
 * starts come per second, as a bucket that holds a burst and fills at the rate.
 *
 * Plain arithmetic before any work: a refused start costs neither an id nor a fiber, and takes nothing from the bucket.
 */
import * as Either from "effect/Either"
import { LimitError, type Limits } from "../protocol/Limits.ts"

/** The places of one session. */
export interface Places {
  /** Takes a place, which is given back by what is returned; `now` is in milliseconds. */
  readonly take: (now: number) => Either.Either<() => void, LimitError>
  /** The session is over: gives back every place. */
  readonly close: () => void
}

export interface StartGate {
  /** A new session. */
  readonly open: () => Places
  /** How many places are taken. */
  readonly taken: () => number
}

export const make = (
  limits: Pick<Limits, "sessionProcesses" | "processes" | "startsPerSecond" | "startBurst">,
): StartGate => {
  let taken = 0
  let starts = limits.startBurst
  let filled = Number.NEGATIVE_INFINITY

  const refuse = (limit: keyof typeof limits) => Either.left(new LimitError({ limit, value: limits[limit] }))

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
        return Either.right(leave)
      },
      close: () => {
        for (const leave of places) leave()
      },
    }
  }

  return { open, taken: () => taken }
}
