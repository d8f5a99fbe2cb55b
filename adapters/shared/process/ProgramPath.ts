/**
 * Where a program lies, as `execvp` decides it: a name with a slash is a path, relative to the child's
 * directory; a bare name is looked up in the PATH of the child's environment, not of the server's.
 *
 * Without a PATH (or with an empty one) the places are musl's default. As in `execvp`, a candidate that
 * may not be executed does not end the search, but is what gets reported if nothing else is found. A file
 * that is no executable format is never handed to a shell.
 */
import { constants } from "node:os"
import type * as Spawner from "../../../core/spawn/Spawner.ts"

const DEFAULT_PATH = "/usr/local/bin:/bin:/usr/bin"
const { EACCES, ENOENT, ENOTDIR } = constants.errno

/** Tells whether a path may be executed: 0, or the error number that says why not. */
export type Access = (path: string) => number

/** Tries to execute a path: a result, or the error number that says why not. */
export type Attempt<A> = (path: string) => A | Errno

/** An error number, told apart from a result. */
export class Errno {
  readonly errno: number
  constructor(errno: number) {
    this.errno = errno
  }
}

/**
 * Calls `attempt` with one candidate after the other until one works, or fails in a way that the next
 * one cannot mend. `access` spares the attempts that are sure to fail: it is far cheaper.
 */
export const search = <A>(spec: Spawner.SpawnSpec, access: Access, attempt: Attempt<A>): A | Errno => {
  const program = spec.argv[0]
  if (program.includes("/")) return attempt(program)
  let denied = false
  for (const directory of (spec.env["PATH"] || DEFAULT_PATH).split(":")) {
    const candidate = directory === "" ? program : `${directory}/${program}`
    const errno = access(candidate.startsWith("/") ? candidate : `${spec.cwd}/${candidate}`)
    const result = errno === 0 ? attempt(candidate) : new Errno(errno)
    if (!(result instanceof Errno)) return result
    if (result.errno === EACCES) denied = true
    else if (result.errno !== ENOENT && result.errno !== ENOTDIR) return result
  }
  // A directory that cannot be entered comes first: the child would have failed on it before the search.
  const cwd = access(`${spec.cwd}/.`)
  if (cwd !== 0) return new Errno(cwd)
  return new Errno(denied ? EACCES : ENOENT)
}
