/**
 * The process group that a child leads: signals, kill, and whether it outlives its leader.
 *
 * While the leader has not been reaped its id cannot be given to anybody else, so signals are safe. After
 * that the id stays reserved only as long as the group has members. So a group whose leader is gone is
 * looked at right away and then once a second, and once it was seen empty (or its id belongs to a new
 * child) it is never signalled again.
 */
import { constants } from "node:os"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import * as OsError from "../host/OsError.ts"

const { EPERM, ESRCH } = constants.errno
const LOOK_MILLIS = 1_000

/** Who wants to know which groups exist. */
export interface Registry {
  /**
   * A child is about to be started, which can be known by what it holds: the inode of the pipe that is its stdout, or
   * the path of its terminal. Until `add` it has no other name. `undefined`: there is none, it could not be started.
   */
  readonly starting: (holds: string | undefined) => void
  readonly add: (id: number) => void
  readonly remove: (id: number) => void
}

export interface ProcessGroup {
  /** Sends a signal to every member; a group that is gone is no error. */
  readonly signal: (name: string) => SpawnError.SignalError | undefined
  /** Tells that the leader has been reaped. */
  readonly leaderExited: () => void
  /** True while the group outlives its leader. */
  readonly lingering: () => boolean
  /** Kills the group and forgets it. */
  readonly close: () => void
}

/** Sends the signal of this number, 0 for none, to every member of a group: 0, or the error number. */
export type Kill = (id: number, signal: number) => number

/** Without libc. Deno wants `--allow-run` for every program, and refuses without an error number. */
const kill: Kill = (id, signal) => {
  try {
    process.kill(-id, signal)
    return 0
  } catch (error) {
    return OsError.errnoOf(error) || EPERM
  }
}

/** The group of the child `id`, which has just been started as its leader. */
export const make = (id: number, registry: Registry, send: Kill = kill): ProcessGroup => {
  let led = true
  let gone = false
  const forget = () => {
    gone = true
    leaderless.delete(id)
  }
  const look = () => {
    if (gone || send(id, 0) !== ESRCH) return
    forget()
    registry.remove(id)
  }
  leaderless.get(id)?.forget()
  registry.add(id)
  const signal = (name: string) => (gone ? undefined : refusal(name, (number) => send(id, number)))
  return {
    signal,
    leaderExited: () => {
      led = false
      look()
      if (!gone) watch(id, { look, forget })
    },
    lingering: () => {
      if (!led) look()
      return !led && !gone
    },
    close: () => {
      if (gone) return
      signal("SIGKILL")
      forget()
      registry.remove(id)
    },
  }
}

const refusal = (name: string, send: (signal: number) => number): SpawnError.SignalError | undefined => {
  const number = (constants.signals as Readonly<Record<string, number>>)[name]
  if (number === undefined) {
    return new SpawnError.SignalError({ reason: "Unsupported", message: `no signal ${name} on this host` })
  }
  const errno = send(number)
  if (errno === 0 || errno === ESRCH) return undefined
  const { message } = OsError.fromErrno(errno)
  return new SpawnError.SignalError({ reason: errno === EPERM ? "PermissionDenied" : "Unknown", message })
}

interface Leaderless {
  readonly look: () => void
  readonly forget: () => void
}

/** The groups without a leader, with the one timer that looks at them. */
const leaderless = new Map<number, Leaderless>()
let timer: NodeJS.Timeout | undefined

const watch = (id: number, group: Leaderless) => {
  leaderless.set(id, group)
  timer ??= setInterval(() => {
    for (const { look } of leaderless.values()) look()
    if (leaderless.size > 0) return
    clearInterval(timer)
    timer = undefined
  }, LOOK_MILLIS).unref()
}
