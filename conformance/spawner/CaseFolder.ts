/**
 * The folder of one case, and scripts that live no longer than it: a child that a broken spawner has left behind ends
 * when the folder is removed.
 */
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quote } from "../suite/ShellWords.ts"

/** A temporary folder and scripts that live no longer than it. */
export interface CaseFolder {
  /** A path without symbolic links. */
  readonly path: string
  /** Creates an empty file. */
  readonly put: (name: string) => void
  /** Whether there is a file of this name. */
  readonly has: (name: string) => boolean
  /** The size of a file in bytes; 0 if there is none. */
  readonly size: (name: string) => number
  /** A script that waits until there is a file of this name. */
  readonly waitFor: (name: string) => string
  /** A script that does nothing until it is killed. */
  readonly idle: string
  /** A script that appends to a file of this name until it is killed. */
  readonly beat: (name: string) => string
  /** Removes the folder, which ends its scripts. */
  readonly remove: () => void
}

/** Creates a folder below that for temporary files; as there, children of other users may write to it. */
export const make = (): CaseFolder => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "procwire-spawner-")))
  chmodSync(path, 0o1777)
  const file = (name: string): string => join(path, name)
  const has = (name: string): boolean => existsSync(file(name))
  const present = `[ -d ${quote(path)} ]`
  return {
    path,
    put: (name) => writeFileSync(file(name), ""),
    has,
    size: (name) => (has(name) ? statSync(file(name)).size : 0),
    waitFor: (name) => `while ${present} && [ ! -e ${quote(file(name))} ]; do sleep 0.02; done`,
    idle: `while ${present}; do sleep 0.05; done`,
    beat: (name) => `while ${present}; do printf x >>${quote(file(name))}; sleep 0.02; done`,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
