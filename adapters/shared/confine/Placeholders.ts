/**
 * Empty folders that keep a path from coming into being: bubblewrap needs a mount point to hide or guard it.
 *
 * A child that may write a folder could make the `.git` that the folder lacks. While such a child is confined an
 * empty folder stands there. It is removed after the last holder, if it is still empty. A server that is killed
 * leaves it behind.
 *
 * Confined processes may change the links on the way to it, so it is made and removed in the folder that was opened and
 * looked at. Deno needs all permissions for such paths: there it is checked afterwards.
 *
 * The table of holders is module state on purpose: it describes the file system, which all servers in one program
 * share. If one of them removed a placeholder that another still holds, the path would be open to a child.
 */
import { closeSync, constants, mkdirSync, openSync, readlinkSync, realpathSync, rmdirSync } from "node:fs"
import { basename, dirname } from "node:path"
import process from "node:process"

interface Held {
  readonly count: number
  /** The folder that it is in, open. */
  readonly fd: number | undefined
}

const holders = new Map<string, Held>()

/** Makes the folder, unless it is held already; returns its release. Throws the errors of `open` and `mkdir`. */
export const hold = (path: string): (() => void) => {
  const { count, fd } = holders.get(path) ?? { count: 0, fd: make(path) }
  holders.set(path, { count: count + 1, fd })
  return () => {
    const left = (holders.get(path)?.count ?? 1) - 1
    if (left > 0) return void holders.set(path, { count: left, fd })
    holders.delete(path)
    try {
      rmdirSync(inside(fd, path))
    } catch {
      // Somebody has put something into it: leave it.
    }
    if (fd !== undefined) closeSync(fd)
  }
}

const make = (path: string): number | undefined => {
  if ("Deno" in globalThis) return makeAndLook(path)
  const folder = dirname(path)
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    if (readlinkSync(linkOf(fd)) !== folder) throw new Error(`${folder} is a link now`)
    mkdirSync(inside(fd, path))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const makeAndLook = (path: string): undefined => {
  mkdirSync(path)
  if (realpathSync(path) === path) return
  rmdirSync(path)
  throw new Error(`${dirname(path)} is a link now`)
}

/** Leads to the open folder, wherever it is by now. */
const linkOf = (fd: number): string => `/proc/${process.pid}/fd/${fd}`

const inside = (fd: number | undefined, path: string): string =>
  fd === undefined ? path : `${linkOf(fd)}/${basename(path)}`

/** True while the folder exists only as a placeholder. */
export const isHeld = (path: string): boolean => holders.has(path)
