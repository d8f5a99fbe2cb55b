/**
 * Containment by adoption: this process is the reaper of its descendants (`PR_SET_CHILD_SUBREAPER`), so each of them
 * stays below it in /proc, whatever it does. `ProcessTrees` finds out who belongs to which child, by a walk at the end
 * of a child and again and again while children run.
 *
 * If this process is killed, its groups are killed by `GroupReaper`, also those that descendants have made. A daemon
 * that no walk has seen gets away.
 */
import type { Registry } from "../ProcessGroup.ts"
import type { Entry, ProcessTable } from "../ProcessTable.ts"
import * as Containment from "./Containment.ts"
import * as ProcessTrees from "./ProcessTrees.ts"

const SIGKILL = 9
const SIGSTOP = 19
/** Passes that stop what a tree has forked meanwhile. */
const PASSES = 10
/** Between walks: at first after a start, at most, and at least so many times what the walk itself cost. */
const [FIRST_MILLIS, LAST_MILLIS, REST] = [5, 250, 20]
/** The time until the survivors of a killed tree are given up. */
const GIVE_UP_MILLIS = 30_000
/** The longest wait of the end of this process for a tree that forks faster than it is found. */
const LAST_CHANCE_MILLIS = 2_000

export interface Means {
  readonly table: ProcessTable
  /** Signals a process if it is the one that started at `start`. */
  readonly signal: (pid: number, start: number, signal: number) => number
  /** Gets the groups beside those of the children, which are to be killed if this process dies. */
  readonly groups: Registry
  /** True for a child of this process that is a helper of ours. */
  readonly isOwn: (pid: number) => boolean
  /** So many processes survived the end of their container. */
  readonly onEscape: (count: number) => void
}

export interface Subreaper extends Containment.Containment {
  /** True if this child of ours came here as an orphan, so that we have to reap it. */
  readonly isOrphan: (pid: number) => boolean
  readonly close: () => void
}

/** Follows the descendants of children. `process.pid` must be a subreaper. */
export const make = ({ table, signal, groups, isOwn, onEscape }: Means): Subreaper => {
  const trees = ProcessTrees.make(table, isOwn)
  const tell = toTell(trees, groups)
  const timer = makeTimer()
  let delay = FIRST_MILLIS
  /** The time of the last walk, and the milliseconds of a processor that it took. */
  let [walked, took] = [0, 0]

  const walk = () => {
    walked = performance.now()
    const before = process.cpuUsage()
    tell(trees.walk())
    const { user, system } = process.cpuUsage(before)
    took = (user + system) / 1_000
  }

  const kill = (...killed: ReadonlyArray<ProcessTrees.Tree>) =>
    killTrees(() => killed.flatMap(trees.alive), walk, signal)

  const look = () => {
    walk()
    const killed: Array<ProcessTrees.Tree> = []
    for (const tree of trees.all) {
      if (tree.closedAt === undefined) continue
      const left = trees.alive(tree).length
      if (tree.members.size > 0 && walked - tree.closedAt < GIVE_UP_MILLIS) {
        killed.push(tree)
        continue
      }
      trees.all.delete(tree)
      if (left > 0) onEscape(left)
    }
    // The same walks find the members of all: a tree that moves is caught by few walks that follow each other soon.
    if (killed.length > 0) kill(...killed)
    const isEnding = [...trees.all].some(({ closedAt }) => closedAt !== undefined)
    delay = Math.min(delay * 2, LAST_MILLIS)
    if (isEnding) timer.set(FIRST_MILLIS, look)
    else lookIn(delay)
  }

  const lookIn = (millis: number) => {
    if (trees.all.size > 0) timer.set(Math.max(millis, took * REST), look)
  }

  const lookSoon = () => {
    delay = FIRST_MILLIS
    lookIn(delay)
  }

  const contain = (pid: number): Containment.Container => {
    const tree = trees.add(pid)
    lookSoon()
    const open = () => tree.closedAt === undefined
    return {
      childEnded: () => {},
      populated: () => {
        if (open() && performance.now() - walked > LAST_MILLIS) walk()
        return open() && trees.alive(tree).length > 0
      },
      kill: () => {
        if (open()) kill(tree)
      },
      close: () => {
        // Its group was killed just now. One walk serves all that end together.
        tree.closedAt ??= performance.now()
        lookSoon()
      },
    }
  }

  return {
    name: "subreaper",
    enter: () => ({ leave: (pid) => (pid === undefined ? Containment.empty : contain(pid)) }),
    isOrphan: (pid) => {
      const entry = table.find(pid)
      return entry !== undefined && trees.isOrphan(entry)
    },
    close: () => {
      timer.clear()
      killAll(trees, kill)
    },
  }
}

/** One timer, which does not keep the event loop alive. */
const makeTimer = () => {
  let timer: NodeJS.Timeout | undefined
  let due = Number.POSITIVE_INFINITY
  const clear = () => {
    clearTimeout(timer)
    due = Number.POSITIVE_INFINITY
  }
  return {
    clear,
    /** Runs `use` then, unless it runs sooner anyhow. */
    set: (millis: number, use: () => void) => {
      const at = performance.now() + millis
      if (due <= at) return
      clear()
      due = at
      timer = setTimeout(() => {
        due = Number.POSITIVE_INFINITY
        use()
      }, millis).unref()
    },
  }
}

/** The end of this process: a tree that forks faster than it is found may delay it. */
const killAll = (
  trees: ProcessTrees.ProcessTrees,
  kill: (...killed: ReadonlyArray<ProcessTrees.Tree>) => void,
) => {
  const end = performance.now() + LAST_CHANCE_MILLIS
  for (const tree of trees.all) tree.closedAt ??= end
  const isLeft = () => [...trees.all].some((tree) => trees.alive(tree).length > 0)
  do {
    kill(...trees.all)
  } while (isLeft() && performance.now() < end)
  trees.all.clear()
}

/** Stops all first, so that none forks while the others die. */
const killTrees = (alive: () => ReadonlyArray<Entry>, walk: () => void, signal: Means["signal"]) => {
  walk()
  const stopped = new Set<number>()
  for (let pass = 0; pass < PASSES; pass += 1) {
    const found = alive().filter(({ pid }) => !stopped.has(pid))
    if (found.length === 0) break
    for (const { pid, start } of found) if (signal(pid, start, SIGSTOP) === 0) stopped.add(pid)
    walk()
  }
  for (const { pid, start } of alive()) signal(pid, start, SIGKILL)
}

/** Tells the registry of the groups that descendants have made. */
const toTell = (trees: ProcessTrees.ProcessTrees, groups: Registry) => {
  const known = new Set<number>()
  return (byPid: ReadonlyMap<number, Entry>) => {
    const present = new Set<number>()
    for (const { leader, members } of trees.all) {
      for (const { group, state } of members.values())
        if (group !== leader && state !== "Z") present.add(group)
    }
    for (const group of known) {
      if (present.has(group)) continue
      known.delete(group)
      groups.remove(group)
    }
    for (const group of present) {
      if (!byPid.has(group)) groups.outlives(group)
      else if (!known.has(group)) groups.add(group)
      known.add(group)
    }
  }
}
