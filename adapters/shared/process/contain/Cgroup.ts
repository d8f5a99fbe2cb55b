/**
 * Containment by cgroups: each child is born in a leaf of its own, and so is every descendant, whatever it does. A leaf
 * is frozen before it is killed, so nobody forks meanwhile. Only a process that may write cgroups can get out.
 */
import * as OsError from "../../host/OsError.ts"
import { Errno } from "../ProgramPath.ts"
import type { CgroupTree } from "./CgroupTree.ts"
import type { Container, Containment } from "./Containment.ts"
import * as Leaves from "./Leaves.ts"

export interface Cgroups extends Containment {
  /** What the paths of all leaves begin with. */
  readonly prefix: string
  /** Kills what is left and removes the leaves. */
  readonly close: () => void
}

/** Leaves in `tree` whose names begin with `name`. */
export const make = (tree: CgroupTree, name: string, killListed: Leaves.KillListed): Cgroups => {
  const prefix = `${tree.folder}/${name}.`
  const leaves = Leaves.make(tree, prefix, killListed)

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
