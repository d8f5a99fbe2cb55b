/**
 * The process groups that outlive their leader, checked once a second until they are empty.
 *
 * One of these serves all spawners of a program, because a process id that the system uses again may belong to a
 * child of any of them.
 */

/** How often the groups are checked. */
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

/** An empty table. Its timer runs while there are groups, and does not keep the event loop alive. */
export const make = (): LeaderlessGroups => {
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
