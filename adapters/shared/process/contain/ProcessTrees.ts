/**
 * Children of this process and their descendants, found by walks over /proc. `process.pid` is a subreaper, so an orphan
 * among them is a child of it.
 *
 * An orphan whose parents came and went between two walks has no known ancestor. It belongs to the tree whose group or
 * session it has, or else to every open tree whose child is older, or else to every tree whose child is older. One that
 * is older than all of them is what a tree has left that is no longer known, and belongs to every tree.
 */
import type { Entry, ProcessTable } from "../ProcessTable.ts"

export interface Tree {
  readonly leader: number
  /** The start of the child, as in /proc. */
  readonly start: number
  /** The groups that members were seen in. */
  readonly groups: Set<number>
  members: ReadonlyMap<number, Entry>
  /** The time at which its scope was closed; `undefined` while it is open. */
  closedAt: number | undefined
}

export interface ProcessTrees {
  readonly all: Set<Tree>
  readonly add: (leader: number) => Tree
  /** Lists the processes of now, by their pids. */
  readonly walk: () => ReadonlyMap<number, Entry>
  /** Members that run and are in no other tree that is open. */
  readonly alive: (tree: Tree) => ReadonlyArray<Entry>
  /** True for a child of this process that surely came here as an orphan, be it a zombie. */
  readonly isOrphan: (entry: Entry) => boolean
}

/** No tree yet. `isOwn` is true for a child of this process that is a helper of ours. */
export const make = (table: ProcessTable, isOwn: (pid: number) => boolean): ProcessTrees => {
  const trees = new Set<Tree>()
  const ownSession = table.find(process.pid)?.session

  /** Unlike those that the runtime has started here, which share our session or lead one. */
  const isOrphan = ({ pid, parent, session, start }: Entry) =>
    parent === process.pid &&
    session !== ownSession &&
    (session !== pid || [...trees].some(({ members }) => members.get(pid)?.start === start))

  /** A zombie does not show its past, and needs no kill. */
  const isNew = ({ pid, session, state }: Entry) => session !== ownSession && state !== "Z" && !isOwn(pid)

  const ownersOf = (orphan: Entry): ReadonlyArray<Tree> => {
    const each = [...trees]
    const byGroup = each.filter(({ groups }) => groups.has(orphan.session) || groups.has(orphan.group))
    if (byGroup.length > 0) return byGroup
    const older = each.filter((tree) => isOlder(tree, orphan))
    const open = older.filter(({ closedAt }) => closedAt === undefined)
    return open.length > 0 ? open : older.length > 0 ? older : each
  }

  const walk = () => {
    const entries = table.all()
    const children = byParent(entries)
    const byPid = new Map(entries.map((entry) => [entry.pid, entry]))
    const known = new Set<number>()
    const reach = (entry: Entry, members: Map<number, Entry>) => {
      if (members.has(entry.pid)) return
      members.set(entry.pid, entry)
      known.add(entry.pid)
      for (const child of children.get(entry.pid) ?? []) reach(child, members)
    }
    for (const tree of trees) {
      const members = new Map<number, Entry>()
      for (const { pid, start } of tree.members.values()) {
        const now = byPid.get(pid)
        if (now?.start === start) reach(now, members)
      }
      for (const { group } of members.values()) tree.groups.add(group)
      tree.members = members
    }
    for (const orphan of children.get(process.pid) ?? []) {
      if (known.has(orphan.pid) || !isNew(orphan)) continue
      for (const tree of ownersOf(orphan)) tree.members = new Map(tree.members).set(orphan.pid, orphan)
    }
    return byPid
  }

  return {
    all: trees,
    add: (leader) => {
      const entry = table.find(leader)
      const tree: Tree = {
        leader,
        start: entry?.start ?? 0,
        groups: new Set([leader]),
        members: new Map(entry === undefined ? [] : [[leader, entry]]),
        closedAt: undefined,
      }
      trees.add(tree)
      return tree
    },
    walk,
    alive: (tree) => {
      const open = [...trees].filter((other) => other !== tree && other.closedAt === undefined)
      const isShared = (pid: number) => open.some(({ members }) => members.has(pid))
      return [...tree.members.values()].filter(({ pid, state }) => state !== "Z" && !isShared(pid))
    },
    isOrphan,
  }
}

/** Starts are counted in ticks of the kernel's clock (10 ms). Within one of them the pids tell, which are given in turn. */
const isOlder = ({ leader, start }: Tree, { pid, start: born }: Entry): boolean =>
  start < born || (start === born && leader < pid)

const byParent = (entries: ReadonlyArray<Entry>): ReadonlyMap<number, ReadonlyArray<Entry>> => {
  const children = new Map<number, Array<Entry>>()
  for (const entry of entries) {
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  return children
}
