/**
 * The files in which Linux shows processes and cgroups. Calls are synchronous, because such a file is made when it is
 * read, and a thread that enters a cgroup must do so itself.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from "node:fs"

export interface KernelFiles {
  /** The text of a file, in Latin-1; empty if it cannot be read. */
  readonly read: (path: string) => string
  /** The target of a link; empty if it cannot be read. */
  readonly readLink: (path: string) => string
  /** The names in a folder; none if it cannot be read. */
  readonly list: (folder: string) => ReadonlyArray<string>
  /** Writes a short text by one call. Throws an error with a code, as the following. */
  readonly write: (path: string, text: string) => void
  readonly makeFolder: (path: string) => void
  readonly removeFolder: (path: string) => void
}

const or = <A>(otherwise: A, evaluate: () => A): A => {
  try {
    return evaluate()
  } catch {
    return otherwise
  }
}

/** Through `node:fs`. Deno denies it /proc and /sys unless everything is allowed. */
export const node: KernelFiles = {
  read: (path) => or("", () => readFileSync(path, "latin1")),
  readLink: (path) => or("", () => readlinkSync(path)),
  list: (folder) => or([], () => readdirSync(folder)),
  write: (path, text) => writeFileSync(path, text, { flag: "r+" }),
  makeFolder: (path) => mkdirSync(path),
  removeFolder: (path) => rmdirSync(path),
}
