/** When a child that has ended is followed by another one. */
import type { ExitStatus, SignalName } from "../../spawn/Spawner.ts"

export interface Policy {
  /** `no`: only when a client asks for it. */
  readonly when: "no" | "onFailure" | "always"
  /** The most restarts that no client has asked for. */
  readonly most: number
}

/** The first pause before a restart, in milliseconds; each is twice the one before. */
export const firstPauseMillis = 100

/** The longest pause: a minute. */
export const longestPauseMillis = 60_000

/** A child that has run for so long was well: the pauses begin anew. */
export const wellMillis = 10_000

/** The pause behind `before` (0 for none), after a child that ran for so long. */
export const pauseAfter = (before: number, ranMillis: number): number =>
  before === 0 || ranMillis >= wellMillis ? firstPauseMillis : Math.min(before * 2, longestPauseMillis)

/** Signals after which no child follows, whatever the one that gets it does with it. */
export const isFinal = (name: SignalName): boolean => name === "SIGTERM" || name === "SIGKILL"

/** Signals that a program may handle and go on: one that a client sends ends the process only if the child dies of it. */
const deadly: Readonly<Record<string, number>> = { SIGINT: 2, SIGQUIT: 3 }

/** True for the end by a signal that a client has sent. */
export const isEndBy = (status: ExitStatus, sent: ReadonlySet<SignalName>): boolean =>
  [...sent].some((name) => {
    const number = deadly[name]
    if (number === undefined) return false
    return status.kind === "signaled" ? status.signal === number : status.code === 128 + number
  })

/** True if the policy has another child follow one that has ended so, after so many restarts. */
export const follows = ({ when, most }: Policy, status: ExitStatus, restarts: number): boolean => {
  if (when === "no" || restarts >= most) return false
  return when === "always" || status.kind === "signaled" || status.code !== 0
}
