/**
 * Finds a program as `execvp` does: a name with a slash is a path, relative to the child's directory; a bare name is
 * looked up in the PATH of the child's environment, not of the server's.
 *
 * Without a PATH musl's default is searched; an empty one, or an empty place in it, is the child's directory. As in
 * `execvp`, a candidate that may not be executed does not end the search, but is reported if nothing else is found.
 * Unlike `execvp` it never gives a file of no executable format to a shell.
 *
 * On a PTY with an `arg0` it is found as by the peer: a path begins with `/`, `./` or `../`, any other name is looked
 * up in a PATH that has to be there, and the first file that may be executed is the program, whatever its start says.
 */
import { constants } from "node:os"
import * as ErrorText from "../../../core/protocol/ErrorText.ts"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as OsError from "../host/OsError.ts"

/** The longest name of a program, and the length of a place in the PATH that is passed over, in bytes. */
const NAME_MAX = 255
const PATH_MAX = 4096
/** As musl's `execvp` has it. */
const DEFAULT_PATH = "/usr/local/bin:/bin:/usr/bin"
const { EACCES, ENAMETOOLONG, ENOENT, ENOTDIR } = constants.errno

/** Checks whether a path may be executed: 0, or an error number. */
export type Access = (path: string) => number

/** Tries to execute a path: its result, or an error number. */
export type Attempt<A> = (path: string) => A | Errno

/** A failure as the error number of the system; a class, so that it differs from a result that is a number. */
export class Errno {
  readonly errno: number
  constructor(errno: number) {
    this.errno = errno
  }
}

/** The program is not in the PATH of a PTY; the text says so. */
class NotInPath extends Errno {
  readonly text: string
  constructor(text: string) {
    super(ENOENT)
    this.text = text
  }
}

/** The error of a spawner for a failure. */
export const toSpawnError = (failure: Errno): SpawnError.SpawnError =>
  failure instanceof NotInPath
    ? new SpawnError.SpawnError({ reason: "NotInPath", message: failure.text })
    : OsError.fromErrno(failure.errno)

/**
 * Calls `attempt` with one candidate after the other until one succeeds, or fails with an error that ends the search.
 * `access` is far cheaper, and avoids attempts that would fail.
 */
export const search = <A>(spec: Spawner.SpawnSpec, access: Access, attempt: Attempt<A>): A | Errno => {
  if (spec.stdio.kind === "pty" && spec.arg0 !== undefined) return onPty(spec, access, attempt)
  const program = spec.argv[0]
  if (program.includes("/")) return attempt(program)
  const found = inPath(spec, access, attempt)
  if (!(found instanceof Errno)) return found
  // If the working directory cannot be entered, report that: a child would fail there before its search.
  const entered = access(`${spec.cwd}/.`)
  return entered === 0 ? found : new Errno(entered)
}

const inPath = <A>(spec: Spawner.SpawnSpec, access: Access, attempt: Attempt<A>): A | Errno => {
  const program = spec.argv[0]
  if (Buffer.byteLength(program) > NAME_MAX) return new Errno(ENAMETOOLONG)
  let denied = false
  for (const directory of (spec.env["PATH"] ?? DEFAULT_PATH).split(":")) {
    if (Buffer.byteLength(directory) >= PATH_MAX) continue
    const candidate = directory === "" ? program : `${directory}/${program}`
    const errno = access(candidate.startsWith("/") ? candidate : `${spec.cwd}/${candidate}`)
    const result = errno === 0 ? attempt(candidate) : new Errno(errno)
    if (!(result instanceof Errno)) return result
    if (result.errno === EACCES) denied = true
    else if (result.errno !== ENOENT && result.errno !== ENOTDIR) return result
  }
  return new Errno(denied ? EACCES : ENOENT)
}

const onPty = <A>(spec: Spawner.SpawnSpec, access: Access, attempt: Attempt<A>): A | Errno => {
  const program = spec.argv[0]
  if (/^(?:\/|\.\.?(?:\/|$))/.test(program)) {
    const result = attempt(program)
    const isInNoFolder =
      result instanceof Errno &&
      result.errno === ENOTDIR &&
      !program.startsWith("/") &&
      access(`${spec.cwd}/.`) !== 0
    return isInNoFolder ? new Errno(ENOENT) : result
  }
  const { PATH: path } = spec.env
  if (path === undefined) return new NotInPath(ErrorText.of("noPath"))
  for (const directory of path.split(":")) {
    const place = directory.startsWith("/") ? directory : `${spec.cwd}/${directory}`.replace(/\/$/, "")
    const candidate = `${place}/${program}`
    const isFile = access(candidate) === 0 && access(`${candidate}/.`) !== 0
    if (isFile) return attempt(candidate)
  }
  return new NotInPath(ErrorText.of("notInPath", { program }))
}
