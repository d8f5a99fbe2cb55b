/**
 * Names the process group of one child, so that no signal reaches a foreign process that got its number.
 *
 * The number of a group is reserved while its leader has not been reaped, and after that as long as it has a member.
 * `byMembers` keeps to that with /proc alone: it remembers members by pid and time of start, and a group in which none
 * of them is left is gone. `PidFd` does the same by one descriptor, without a gap. `byNumber` is for hosts without
 * either.
 */
import { constants } from "node:os"
import * as OsError from "../host/OsError.ts"
import type { ProcessTable } from "./ProcessTable.ts"

const { EPERM, ESRCH } = constants.errno

/** The group of one child. */
export interface GroupAddress {
  /** Sends the signal of this number, 0 for none, to every member: 0, or the error number. ESRCH: no member is left. */
  readonly send: (signal: number) => number
  /** The leader has ended. `reap` gives its pid back to the system. */
  readonly leaderEnded: (reap: () => void) => void
  /** The group is never signalled again. */
  readonly release: () => void
}

/** Signals one process, or a group by its negative id: 0, or the error number. */
export type Kill = (pid: number, signal: number) => number

/** Without libc. Deno wants `--allow-run` for every program, and refuses without an error number. */
export const kill: Kill = (pid, signal) => {
  try {
    process.kill(pid, signal)
    return 0
  } catch (error) {
    return OsError.errnoOf(error) || EPERM
  }
}

/** The group of the child `id` on a host without /proc: any group with the number. */
export const byNumber = (id: number): GroupAddress => ({
  send: (signal) => kill(-id, signal),
  leaderEnded: (reap) => reap(),
  release: () => {},
})

/** The group of the child `id`, which has just been started, without libc. */
export const portable = (id: number, table: ProcessTable): GroupAddress => {
  if (table.find(process.pid) === undefined) return byNumber(id)
  const signal = (pid: number, start: number, number: number) =>
    table.find(pid)?.start === start ? kill(pid, number) : ESRCH
  return byMembers(id, { table, signal, kill })
}

export interface Means {
  readonly table: ProcessTable
  /** Signals a process if it is the one that started at `start`. */
  readonly signal: (pid: number, start: number, signal: number) => number
  readonly kill: Kill
}

/** The group of the child `id`, which has just been started: its members are looked for in /proc. */
export const byMembers = (id: number, { table, signal, kill }: Means): GroupAddress => {
  const { find, all } = table
  const start = find(id)?.start
  /** Each with its start, from the moment on when there is no leader. */
  let members: ReadonlyMap<number, number> | undefined

  const refresh = (): ReadonlyMap<number, number> => {
    const present = all().filter(({ group, session }) => group === id && session === id)
    // While one of them stays, the number stays with the group, so the others belong to it too.
    const ours = members === undefined || present.some(({ pid, start }) => members?.get(pid) === start)
    members = new Map(ours ? present.map(({ pid, start }) => [pid, start]) : [])
    return members
  }

  return {
    send: (number) => {
      const leader = find(id)
      if (leader?.start === start && members === undefined) return kill(-id, number)
      // Somebody else has the number: the group is gone.
      if (leader !== undefined) members = new Map()
      const found = refresh()
      for (const [pid, start] of found) signal(pid, start, number)
      return found.size === 0 ? ESRCH : 0
    },
    leaderEnded: (reap) => {
      reap()
      if (find(id) === undefined) refresh()
      else members = new Map()
    },
    release: () => {},
  }
}
