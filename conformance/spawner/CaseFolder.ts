/**
 * The folder of one case, and scripts that live no longer than it: a child that a broken spawner has left behind ends
 * when the folder is removed.
 */
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quote } from "../suite/ShellWords.ts"

/** A temporary folder and scripts that live no longer than it. */
export type CaseFolder = ReturnType<typeof make>

/** Creates a folder below that for temporary files; as there, children of other users may write to it. */
export const make = () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "procwire-spawner-")))
  chmodSync(path, 0o1777)
  const file = (name: string): string => join(path, name)
  const has = (name: string): boolean => existsSync(file(name))
  const present = `[ -d ${quote(path)} ]`
  return {
    /** A path without symbolic links. */
    path,
    /** Creates an empty file. */
    put: (name: string): void => writeFileSync(file(name), ""),
    /** True if there is a file of this name. */
    has,
    /** The size of a file in bytes; 0 if there is none. */
    size: (name: string): number => (has(name) ? statSync(file(name)).size : 0),
    /** A script that waits until there is a file of this name. */
    waitFor: (name: string) => `while ${present} && [ ! -e ${quote(file(name))} ]; do sleep 0.02; done`,
    /** A script that does nothing until it is killed. */
    idle: `while ${present}; do sleep 0.05; done`,
    /** A script that appends to a file of this name until it is killed. */
    beat: (name: string) => `while ${present}; do printf x >>${quote(file(name))}; sleep 0.02; done`,
    /** Removes the folder, which ends its scripts. */
    remove: (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
