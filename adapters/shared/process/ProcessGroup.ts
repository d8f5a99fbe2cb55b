/**
 * The process group that a child leads: signals, kill, and whether it outlives its leader.
 *
 * The `GroupAddress` decides who gets a signal. A group whose leader is gone is checked at once and then once a second,
 * and after it was seen empty (or its id belongs to a new child) it is never signalled again.
 */
import { constants } from "node:os"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import * as OsError from "../host/OsError.ts"
import type { Containment } from "./contain/Containment.ts"
import type { GroupAddress } from "./GroupAddress.ts"
import type { ProcessTable } from "./ProcessTable.ts"
import * as Signals from "../../../core/protocol/Signals.ts"

const { EPERM, ESRCH } = constants.errno

/** A list of the groups that exist, which are killed if the server dies. */
export interface Registry {
  /**
   * A child is about to be started. Until `add` brings its id, it can be recognized by what it holds: the inode of the
   * pipe that is its stdout, or the path of its terminal. `undefined`: the start failed.
   */
  readonly starting: (holds: string | undefined) => void
  /** The child `id` leads a group. It must not have been reaped. */
  readonly add: (id: number) => void
  /** The group has members, and no leader any more. Said again as long as that is so. */
  readonly outlives: (id: number) => void
  readonly remove: (id: number) => void
}

/** The parts of a group. */
export interface Host {
  readonly groups: Registry
  readonly leaderless: LeaderlessGroups
  readonly contain: Containment
  readonly table: ProcessTable
}

export interface ProcessGroup {
  /** Sends a signal to every member; a group that is gone is no error. */
  readonly signal: (name: string) => SpawnError.SignalError | undefined
  /** The leader has ended. `reap` gives its pid back to the system; absent if the runtime has done that. */
  readonly leaderEnded: (reap?: () => void) => void
  /** True while the group outlives its leader. */
  readonly lingering: () => boolean
  /** Kills the group and forgets it. */
  readonly close: () => void
}

/** The group of the child `id`, which has just been started as its leader. */
export const make = (
  id: number,
  { groups, leaderless }: Pick<Host, "groups" | "leaderless">,
  address: GroupAddress,
): ProcessGroup => {
  let led = true
  let gone = false
  const forget = () => {
    gone = true
    leaderless.delete(id)
    address.release()
  }
  const check = () => {
    if (gone) return
    if (address.send(0) !== ESRCH) return groups.outlives(id)
    forget()
    groups.remove(id)
  }
  leaderless.reused(id)
  groups.add(id)
  const signal = (name: string) => (gone ? undefined : refusal(name, address.send))
  return {
    signal,
    leaderEnded: (reap = () => {}) => {
      if (gone) return reap()
      address.leaderEnded(reap)
      led = false
      check()
      if (!gone) leaderless.add(id, { check, forget })
    },
    lingering: () => {
      if (!led) check()
      return !led && !gone
    },
    close: () => {
      if (gone) return
      signal("SIGKILL")
      forget()
      groups.remove(id)
    },
  }
}

/** For a child without a group of its own, as on Windows: signals and kills reach the child alone. */
export const single = (send: (signal: string) => void): ProcessGroup => ({
  signal: (name) => {
    send(name)
    return undefined
  },
  leaderEnded: (reap) => reap?.(),
  lingering: () => false,
  close: () => send("SIGKILL"),
})

const refusal = (name: string, send: (signal: number) => number): SpawnError.SignalError | undefined => {
  const number = signalNumber(name)
  if (number === undefined) {
    return new SpawnError.SignalError({ reason: "Unsupported", message: `no signal ${name} on this host` })
  }
  const errno = send(number)
  if (errno === 0 || errno === ESRCH) return undefined
  const { message } = OsError.fromErrno(errno)
  return new SpawnError.SignalError({ reason: errno === EPERM ? "PermissionDenied" : "Unknown", message })
}

/** The pause between two checks of the groups. */
const CHECK_MILLIS = 1_000

/** A group without a leader. */
export interface Leaderless {
  /** Looks whether the group is empty, and deletes it if so. */
  readonly check: () => void
  /** Never signal the group again: it is gone, its id belongs to a new child. */
  readonly forget: () => void
}

export interface LeaderlessGroups {
  /** Has `group` checked until it is deleted. */
  readonly add: (id: number, group: Leaderless) => void
  readonly delete: (id: number) => void
  /** The id belongs to a new child: a group that had it is gone. */
  readonly reused: (id: number) => void
}

/**
 * An empty table of the groups that outlive their leader, which are checked once a second until they are empty. It
 * serves all spawners of a program, because a process id that the system uses again may belong to a child of any of
 * them. Its timer runs while there are groups, and does not keep the event loop alive.
 */
export const makeLeaderless = (): LeaderlessGroups => {
  const groups = new Map<number, Leaderless>()
  let timer: NodeJS.Timeout | undefined
  const checkAll = () => {
    for (const { check } of groups.values()) check()
    if (groups.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    add: (id, group) => {
      groups.set(id, group)
      timer ??= setInterval(checkAll, CHECK_MILLIS).unref()
    },
    delete: (id) => void groups.delete(id),
    reused: (id) => groups.get(id)?.forget(),
  }
}

/** Of a POSIX name, a real-time signal (`SIGRTMIN+1`), or a name that is a number (`SIG35`); undefined for no signal. */
export const signalNumber = (name: string): number | undefined =>
  (constants.signals as Readonly<Record<string, number>>)[name] ?? Signals.numberIn(name)
