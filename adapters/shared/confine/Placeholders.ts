/**
 * Empty folders that keep a path from coming into being: bubblewrap needs a mount point to hide or guard it.
 *
 * A child that may write a folder could make the `.git` that the folder lacks. While such a child is confined an
 * empty folder stands there. It is removed after the last holder, if it is still empty. A server that is killed
 * leaves it behind, and the next one that holds it removes it.
 *
 * Servers share it: its permissions tell it from a folder of somebody else, each server has a shared lock of it
 * (`flock`), and only one that gets the lock alone removes it. A folder that is removed under the mount of a child
 * would be open to it. Where `flock` cannot be called, the server that has made it removes it.
 *
 * Confined processes may change the links on the way to it, so it is made and removed in the folder that was opened and
 * looked at. Deno needs all permissions for such paths: there it is checked afterwards.
 *
 * The table of holders is module state on purpose: it describes the file system, which all servers in one program
 * share. If one of them removed a placeholder that another still holds, the path would be open to a child.
 */
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import process from "node:process"
import * as Flock from "../process/Flock.ts"
import type { Ffi } from "../process/posix/Ffi.ts"

interface Held {
  readonly count: number
  /** The folder that it is in, open. */
  readonly fd: number | undefined
  /** The placeholder itself, open. */
  readonly own: number
  /** True if this program has made it. */
  readonly made: boolean
}

/** The permissions of a placeholder: a folder that others may not write seldom has the sticky bit. */
const mode = 0o1755
/** The bits that say so, whatever the umask. */
const mask = 0o1022

const holders = new Map<string, Held>()

let library: (() => Ffi) | undefined
let flock: Flock.Flock | undefined

/** Has the placeholders of this program locked, from the first one on, so that other servers do not remove them. */
export const lockBy = (openFfi: () => Ffi): void => {
  library = openFfi
}

/** Makes the folder, unless it is held already; returns its release. Throws the errors of `open` and `mkdir`. */
export const hold = (path: string): (() => void) => {
  const held = holders.get(path) ?? take(path)
  holders.set(path, { ...held, count: held.count + 1 })
  return () => {
    const left = (holders.get(path)?.count ?? 1) - 1
    if (left > 0) return void holders.set(path, { ...held, count: left })
    holders.delete(path)
    try {
      const isLast = flock === undefined ? held.made : flock(held.own, Flock.LOCK_EX | Flock.LOCK_NB) === 0
      if (isLast) rmdirSync(inside(held.fd, path))
    } catch {
      // Somebody has put something into it: leave it.
    }
    close(held)
  }
}

/** The most tries, each of which another server has made vain by removing it in between. */
const mostTries = 1000

const take = (path: string): Held => {
  flock ??= library && Flock.bind(library)
  for (let tries = 0; tries < mostTries; tries += 1) {
    const taken = attempt(path)
    if (taken !== undefined) return taken
  }
  throw new Error(`${path} is locked by another process`)
}

/** Makes it, or finds that of another server, and locks it; undefined if it was removed in between. */
const attempt = (path: string): Held | undefined => {
  const fd = openFolder(path)
  const at = inside(fd, path)
  let own: number | undefined
  try {
    const made = make(fd, path)
    own = open(at)
    if (own !== undefined && !made && !isPlaceholder(at)) throw new Error(`${path} has come into being`)
    if (own !== undefined && isLocked(own, at)) return { count: 0, fd, own, made }
  } catch (error) {
    close({ fd, own })
    throw error
  }
  close({ fd, own })
  return undefined
}

/** True if no other server can remove it now. */
const isLocked = (own: number, at: string): boolean =>
  flock === undefined || (flock(own, Flock.LOCK_SH | Flock.LOCK_NB) === 0 && Flock.isOpen(found(at), own))

const found = (path: string) => lstatSync(path, { throwIfNoEntry: false })

const close = ({ fd, own }: { readonly fd: number | undefined; readonly own: number | undefined }): void => {
  for (const each of [own, fd]) if (each !== undefined) closeSync(each)
}

const isDeno = "Deno" in globalThis

/** The folder that it is in, which must not have become a link. */
const openFolder = (path: string): number | undefined => {
  if (isDeno) return undefined
  const folder = dirname(path)
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  if (readlinkSync(linkOf(fd)) === folder) return fd
  closeSync(fd)
  throw new Error(`${folder} is a link now`)
}

/** True if it is made now; false if something is there. */
const make = (fd: number | undefined, path: string): boolean => {
  try {
    mkdirSync(inside(fd, path), { mode })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
    return false
  }
  // Its mkdir takes no sticky bit.
  if (isDeno) chmodSync(path, mode)
  if (fd !== undefined || realpathSync(path) === path) return true
  rmdirSync(path)
  throw new Error(`${dirname(path)} is a link now`)
}

/** Undefined if there is nothing. */
const open = (path: string): number | undefined => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code

const isPlaceholder = (path: string): boolean => {
  const there = found(path)
  if (there?.isDirectory() !== true || (there.mode & mask) !== (mode & mask)) return false
  return there.uid === process.geteuid?.() && readdirSync(path).length === 0
}

/** Leads to the open folder, wherever it is by now. */
const linkOf = (fd: number): string => `/proc/${process.pid}/fd/${fd}`

const inside = (fd: number | undefined, path: string): string =>
  fd === undefined ? path : `${linkOf(fd)}/${basename(path)}`

/** True while the folder exists only as a placeholder, of this server or of another one. */
export const isHeld = (path: string): boolean => {
  if (holders.has(path)) return true
  try {
    return isPlaceholder(path)
  } catch {
    return false
  }
}
