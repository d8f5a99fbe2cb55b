/**
 * Keeps the descendants of a child together, also those that leave its process group: `setsid`, a double fork, a
 * daemon. At the end of the child's scope all of them are killed.
 */
import { Errno } from "../ProgramPath.ts"

/** The values of `--contain`. `auto` is the first of `cgroup`, `subreaper` and `none` that works here. */
export const choices = ["auto", "cgroup", "subreaper", "none"] as const

/** One of them. */
export type Choice = (typeof choices)[number]

/** The ways of this host: each child is started between `enter` and `leave`, which must be in one tick. */
export interface Containment {
  readonly name: Exclude<Choice, "auto">
  /** The next child of this thread will be contained. */
  readonly enter: () => Entered | Errno
}

/** A start in progress. */
export interface Entered {
  /** The child has this pid; `undefined`: there is none. */
  readonly leave: (pid: number | undefined) => Container
}

/** One child and all its descendants. */
export interface Container {
  /** The child has ended: what the container took is given back if no other process is inside. */
  readonly childEnded: () => void
  /** True while one of them runs, be it in another group. */
  readonly populated: () => boolean
  /** SIGKILL to each. */
  readonly kill: () => void
  /** Kills, and gives back what the container took. */
  readonly close: () => void
}

/** The container of a child of which only the group is known. */
export const empty: Container = {
  childEnded: () => {},
  populated: () => false,
  kill: () => {},
  close: () => {},
}

/** The group is all that is known of a child. */
export const none: Containment = { name: "none", enter: () => ({ leave: () => empty }) }

/** A started child, and its container. */
export interface Contained<A> {
  readonly started: A
  readonly container: Container
}

/** Starts a child inside: `start` must do so before it returns. Throws what `start` throws. */
export const around = <A>(
  containment: Containment,
  start: () => A,
  pidOf: (started: A) => number | undefined,
): Contained<A> | Errno => {
  const entered = containment.enter()
  if (entered instanceof Errno) return entered
  let started: A
  try {
    started = start()
  } catch (error) {
    entered.leave(undefined)
    throw error
  }
  return { started, container: entered.leave(pidOf(started)) }
}
