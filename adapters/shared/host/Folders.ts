/** Folders of this host. */
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

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

const makeOne = (path: string, mode: number): void => {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (codeOf(error) === "ENOENT" || !isFolder(path)) throw error
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code
