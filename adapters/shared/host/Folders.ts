/** Folders of this host, and small files in them. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join } from "node:path"
import process from "node:process"

/**
 * Makes a folder and those above it that are missing, with these permissions less the umask. Throws the error of the
 * first that cannot be made. `recursive` of Node 20 would try for ever where the system says ENOENT to a folder whose
 * parent is there, as it does in /proc.
 */
export const make = (path: string, mode = 0o777): void => {
  try {
    return makeOne(path, mode)
  } catch (error) {
    const above = dirname(path)
    if (codeOf(error) !== "ENOENT" || above === path) throw error
    make(above, mode)
  }
  makeOne(path, mode)
}

/** A base folder of this user: that of the variable if it is an absolute path, else `usual` in the home. */
export const ofUser = (
  env: Readonly<Record<string, string | undefined>>,
  variable: `XDG_${"CONFIG" | "STATE"}_HOME`,
  usual: string,
): string => {
  const base = env[variable] ?? ""
  return isAbsolute(base) ? base : join(homedir(), usual)
}

/**
 * Replaces a file as a whole: its content is on the disk before it has its name. Only its owner may read it. Throws the
 * errors of the file system; nothing unfinished is left then, and the next replacement removes what a killed process
 * has left.
 */
export const replaceFile = (file: string, ...parts: ReadonlyArray<string | Uint8Array>): void => {
  const unfinished = `${file}.${process.pid}${suffix}`
  try {
    const descriptor = openSync(unfinished, "w", 0o600)
    try {
      for (const part of parts) writeFileSync(descriptor, part)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  removeAbandoned(file)
}

/** The end of the names of unfinished files. */
const suffix = ".new"
/** Milliseconds after which an unfinished file has no writer: a process needs far less to write one. */
const abandonedAfterMillis = 60_000

/** Removes unfinished files of killed processes, where this user may. */
const removeAbandoned = (file: string): void => {
  const [folder, prefix] = [dirname(file), `${basename(file)}.`]
  const before = Date.now() - abandonedAfterMillis
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue
      const path = join(folder, name)
      if (statSync(path).mtimeMs < before) rmSync(path)
    }
  } catch {
    // Another process has removed it, or the folder is not this user's.
  }
}

/** The reason why others than its owner may replace the content of a folder; undefined if it is safe. */
export const unsafe = (found: Stats): string | undefined => {
  if (!found.isDirectory()) return "it is no directory"
  const own = process.geteuid?.()
  if (own !== undefined && found.uid !== own) return `it belongs to the user ${found.uid}`
  return (found.mode & 0o022) === 0 ? undefined : "others may write to it"
}

const makeOne = (path: string, mode: number): void => {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (codeOf(error) === "ENOENT" || !isFolder(path)) throw error
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code
