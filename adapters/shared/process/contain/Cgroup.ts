/**
 * Containment by cgroups: each child is born in a leaf of its own, and so is every descendant, whatever it does. A leaf
 * is frozen before it is killed, so no member forks meanwhile. Only a process that may write cgroups can get out.
 */
import * as OsError from "../../host/OsError.ts"
import { Errno } from "../ProgramPath.ts"
import type { CgroupTree } from "./CgroupTree.ts"
import type { Container, Containment } from "./Containment.ts"

export interface Cgroups extends Containment {
  /** The begin of the paths of all leaves. */
  readonly prefix: string
  /** Kills the rest and removes the leaves. */
  readonly close: () => void
}

/** Leaves in `tree` whose names begin with `name`. */
export const make = (tree: CgroupTree, name: string, killListed: KillListed): Cgroups => {
  const prefix = `${tree.folder}/${name}.`
  const leaves = makeLeaves(tree, prefix, killListed)

  const container = (leaf: string): Container => {
    let closed = false
    return {
      childEnded: () => {
        if (closed || tree.inside(leaf).length > 0) return
        closed = true
        leaves.release(leaf)
      },
      populated: () => !closed && tree.inside(leaf).length > 0,
      kill: () => {
        if (!closed) leaves.kill(leaf)
      },
      close: () => {
        if (closed) return
        closed = true
        leaves.end(leaf)
      },
    }
  }

  return {
    name: "cgroup",
    prefix,
    enter: () => {
      try {
        const leaf = leaves.take()
        tree.enter(leaf)
        return {
          leave: (pid) => {
            tree.goHome()
            const entered = container(leaf)
            if (pid === undefined) entered.close()
            return entered
          },
        }
      } catch (error) {
        return new Errno(OsError.errnoOf(error))
      }
    },
    close: leaves.close,
  }
}

/** Empty leaves that are kept for later children. */
const IDLE_LEAVES = 32
/** Passes over a frozen leaf at once: a fork that was under way may add somebody. */
const PASSES = 3
/** Then the rest is looked at again after this time. */
const AGAIN_MILLIS = 20

/** Sends SIGKILL to the processes that `list` names, and to no process that gets the pid of one of them. */
export type KillListed = (list: () => ReadonlyArray<number>) => void

/** The leaves of one spawner: made, used again, frozen and killed. */
interface Leaves {
  /** An empty leaf. Throws an error with a code. */
  readonly take: () => string
  /** Kills everybody inside: true if none is left. */
  readonly kill: (leaf: string) => boolean
  /** Gives back an empty leaf. */
  readonly release: (leaf: string) => void
  /** Kills until none is inside, and gives the leaf back. */
  readonly end: (leaf: string) => void
  readonly close: () => void
}

const makeLeaves = (tree: CgroupTree, prefix: string, killListed: KillListed): Leaves => {
  const idle: Array<string> = []
  const dying = new Set<string>()
  const frozen = new Set<string>()
  let count = 0
  let timer: NodeJS.Timeout | undefined

  const kill = (leaf: string): boolean => {
    if (tree.inside(leaf).length === 0) return true
    frozen.add(leaf)
    tree.freeze(leaf, true)
    for (let pass = 0; pass < PASSES; pass += 1) killListed(() => tree.inside(leaf))
    return tree.inside(leaf).length === 0
  }

  const release = (leaf: string) => {
    if (frozen.delete(leaf)) tree.freeze(leaf, false)
    if (idle.length < IDLE_LEAVES && tree.isFlat(leaf)) idle.push(leaf)
    else tree.remove(leaf)
  }

  const lookAgain = () => {
    for (const leaf of dying) {
      if (!kill(leaf)) continue
      dying.delete(leaf)
      release(leaf)
    }
    timer = dying.size === 0 ? undefined : setTimeout(lookAgain, AGAIN_MILLIS).unref()
  }

  return {
    take: () => {
      const last = idle.pop()
      if (last !== undefined) return last
      count += 1
      tree.makeLeaf(`${prefix}${count}`)
      return `${prefix}${count}`
    },
    kill,
    release,
    end: (leaf) => {
      if (kill(leaf)) return release(leaf)
      dying.add(leaf)
      timer ??= setTimeout(lookAgain, AGAIN_MILLIS).unref()
    },
    close: () => {
      clearTimeout(timer)
      for (const leaf of dying) kill(leaf)
      for (const leaf of [...dying, ...idle]) tree.remove(leaf)
      dying.clear()
      idle.length = 0
    },
  }
}
