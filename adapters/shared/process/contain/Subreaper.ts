/**
 * Containment by adoption: this process is the reaper of its descendants (`PR_SET_CHILD_SUBREAPER`), so each of them
 * stays below it in /proc, whatever it does. Who belongs to which child is found by walks over /proc, again and again
 * while children run.
 *
 * A daemon whose parents came and went between two walks has no known ancestor. It is counted to the only child that is
 * old enough, or else to all of them: then it is killed with the last. If this process is killed itself, a daemon that
 * no walk has seen gets away.
 */
import type { Errno } from "../ProgramPath.ts"
import type { Registry } from "../ProcessGroup.ts"
import type { Entry, ProcessTable } from "../ProcessTable.ts"
import * as Containment from "./Containment.ts"

const SIGKILL = 9
const SIGSTOP = 19
/** Passes that stop what a tree has forked meanwhile. */
const PASSES = 10
/** Between walks: at first after a start, at most, and at least so many times as long as the walk itself took. */
const [FIRST_MILLIS, LAST_MILLIS, REST] = [5, 250, 20]
/** How long a killed tree is looked after before its survivors are given up. */
const GIVE_UP_MILLIS = 5_000

/** What a tracker needs. */
export interface Means {
  readonly table: ProcessTable
  /** Signals a process if it is the one that started at `start`. */
  readonly signal: (pid: number, start: number, signal: number) => number
  /** Is told of the groups beside those of the children, which are to be killed if this process dies. */
  readonly groups: Registry
  /** True for a child of this process that is no descendant of a contained one. */
  readonly isOwn: (pid: number) => boolean
  /** So many processes survived the end of their container. */
  readonly onEscape: (count: number) => void
}

export interface Subreaper extends Containment.Containment {
  /** True if this child of ours came here as an orphan, so that we have to reap it. */
  readonly isOrphan: (pid: number) => boolean
  readonly close: () => void
}

/** A child and its descendants: pids with their starts. */
interface Tree {
  readonly leader: number
  readonly start: number
  /** The groups that members were seen in. */
  readonly groups: Set<number>
  members: Map<number, Entry>
  /** When it was closed; `undefined` while its scope is open. */
  closedAt: number | undefined
}

/** Follows the descendants of children. `process.pid` must be a subreaper. */
export const make = ({ table, signal, groups, isOwn, onEscape }: Means): Subreaper => {
  const trees = new Set<Tree>()
  const told = new Set<number>()
  const ownSession = table.find(process.pid)?.session
  let timer: NodeJS.Timeout | undefined
  let delay = FIRST_MILLIS
  /** When the timer ends, when the last walk was, and how long it took. */
  let [due, walked, took] = [0, 0, 0]

  const isForeign = ({ pid, parent, session }: Entry) =>
    parent === process.pid && session !== ownSession && !isOwn(pid)

  /** The tree that an orphan without a known ancestor belongs to: one that had its group, or the old enough ones. */
  const ownersOf = (orphan: Entry): ReadonlyArray<Tree> => {
    const byGroup = [...trees].filter(
      (tree) => tree.groups.has(orphan.session) || tree.groups.has(orphan.group),
    )
    const open = [...trees].filter(({ closedAt, start }) => closedAt === undefined && start <= orphan.start)
    return byGroup.length > 0 ? byGroup : open.length > 0 ? open : [...trees]
  }

  const walk = () => {
    walked = performance.now()
    const all = table.all()
    const children = byParent(all)
    const byPid = new Map(all.map((entry) => [entry.pid, entry]))
    const known = new Set<number>()
    for (const tree of trees) {
      const members = new Map<number, Entry>()
      const reach = (entry: Entry) => {
        if (members.has(entry.pid)) return
        members.set(entry.pid, entry)
        known.add(entry.pid)
        tree.groups.add(entry.group)
        for (const child of children.get(entry.pid) ?? []) reach(child)
      }
      for (const { pid, start } of tree.members.values()) {
        const now = byPid.get(pid)
        if (now?.start === start) reach(now)
      }
      tree.members = members
    }
    for (const orphan of children.get(process.pid) ?? []) {
      if (known.has(orphan.pid) || !isForeign(orphan)) continue
      for (const tree of ownersOf(orphan)) tree.members.set(orphan.pid, orphan)
    }
    tell(byPid)
    took = performance.now() - walked
  }

  /** Groups of descendants that have left the group of their child. */
  const tell = (byPid: ReadonlyMap<number, Entry>) => {
    const present = new Set<number>()
    for (const { leader, members } of trees)
      for (const { group, state } of members.values()) if (group !== leader && state !== "Z") present.add(group)
    for (const group of told) if (!present.has(group) && told.delete(group)) groups.remove(group)
    for (const group of present) {
      if (!byPid.has(group)) groups.outlives(group)
      else if (!told.has(group)) groups.add(group)
      told.add(group)
    }
  }

  /** Who is in no other tree whose scope is open. */
  const alive = (tree: Tree): ReadonlyArray<Entry> =>
    [...tree.members.values()].filter(({ pid, state }) => {
      const shared = [...trees].some(
        (other) => other !== tree && other.closedAt === undefined && other.members.has(pid),
      )
      return state !== "Z" && !shared
    })

  /** Stops everybody first, so that nobody forks while the others die. */
  const kill = (tree: Tree) => {
    walk()
    const stopped = new Set<number>()
    for (let pass = 0; pass < PASSES; pass += 1) {
      const found = alive(tree).filter(({ pid }) => !stopped.has(pid))
      if (found.length === 0) break
      for (const { pid, start } of found) if (signal(pid, start, SIGSTOP) === 0) stopped.add(pid)
      walk()
    }
    for (const { pid, start } of alive(tree)) signal(pid, start, SIGKILL)
  }

  const look = () => {
    timer = undefined
    walk()
    for (const tree of trees) {
      if (tree.closedAt === undefined) continue
      const left = alive(tree).length
      if (left > 0 && walked - tree.closedAt < GIVE_UP_MILLIS) {
        kill(tree)
        continue
      }
      trees.delete(tree)
      if (left > 0) onEscape(left)
    }
    delay = Math.min(delay * 2, LAST_MILLIS)
    lookIn(delay)
  }

  const lookIn = (millis: number) => {
    const at = performance.now() + Math.max(millis, took * REST)
    if (trees.size === 0 || (timer !== undefined && due <= at)) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(look, at - performance.now()).unref()
  }

  const lookSoon = () => {
    delay = FIRST_MILLIS
    lookIn(delay)
  }

  const contain = (pid: number): Containment.Container => {
    const leader = table.find(pid)
    const tree: Tree = {
      leader: pid,
      start: leader?.start ?? 0,
      groups: new Set([pid]),
      members: new Map(leader === undefined ? [] : [[pid, leader]]),
      closedAt: undefined,
    }
    trees.add(tree)
    lookSoon()
    return {
      childEnded: () => {},
      populated: () => {
        if (tree.closedAt !== undefined) return false
        if (performance.now() - walked > LAST_MILLIS) walk()
        return alive(tree).length > 0
      },
      kill: () => {
        if (tree.closedAt === undefined) kill(tree)
      },
      close: () => {
        if (tree.closedAt !== undefined) return
        // Its group was killed just now. One walk serves all that end together.
        tree.closedAt = performance.now()
        lookSoon()
      },
    }
  }

  return {
    name: "subreaper",
    enter: (): Errno | { leave: (pid: number | undefined) => Containment.Container } => ({
      leave: (pid) => (pid === undefined ? Containment.empty : contain(pid)),
    }),
    isOrphan: (pid) => {
      const entry = table.find(pid)
      return entry !== undefined && isForeign(entry)
    },
    close: () => {
      clearTimeout(timer)
      for (const tree of trees) kill(tree)
      trees.clear()
    },
  }
}

const byParent = (entries: ReadonlyArray<Entry>): ReadonlyMap<number, ReadonlyArray<Entry>> => {
  const children = new Map<number, Array<Entry>>()
  for (const entry of entries) {
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  return children
}
