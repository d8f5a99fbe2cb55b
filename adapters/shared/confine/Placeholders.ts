/**
 * Empty folders that stand where something must not come into being: a mount needs a place to hide or guard.
 *
 * Whoever may write a folder could make the `.git` that it lacks. While somebody who must not is confined, an empty
 * folder is there, removed with the last of them if it is still empty. A server that is killed leaves it behind.
 */
import { mkdirSync, rmdirSync } from "node:fs"

const holders = new Map<string, number>()

/** Makes the folder unless it is held already, and answers how to let go of it. Throws what `mkdir` throws. */
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
      // Somebody uses it: it is no longer ours.
    }
  }
}

/** True while it exists only because somebody holds it. */
export const isHeld = (path: string): boolean => holders.has(path)
