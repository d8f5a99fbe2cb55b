/**
 * Empty folders that keep a path from coming into being: bubblewrap needs a mount point to hide or guard it.
 *
 * A child that may write a folder could make the `.git` that the folder lacks. While such a child is confined an
 * empty folder stands there. It is removed after the last holder, if it is still empty. A server that is killed
 * leaves it behind.
 *
 * The table of holders is module state on purpose: it describes the file system, which all servers in one program
 * share. If one of them removed a placeholder that another still holds, the path would be open to a child.
 */
import { mkdirSync, rmdirSync } from "node:fs"

const holders = new Map<string, number>()

/** Makes the folder, unless it is held already; returns its release. Throws the errors of `mkdir`. */
export const hold = (path: string): (() => void) => {
  const count = holders.get(path) ?? 0
  if (count === 0) mkdirSync(path)
  holders.set(path, count + 1)
  return () => {
    const left = (holders.get(path) ?? 1) - 1
    if (left > 0) return void holders.set(path, left)
    holders.delete(path)
    try {
      rmdirSync(path)
    } catch {
      // Somebody has put something into it: leave it.
    }
  }
}

/** True while the folder exists only as a placeholder. */
export const isHeld = (path: string): boolean => holders.has(path)
