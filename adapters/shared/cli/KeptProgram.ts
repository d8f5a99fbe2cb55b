/**
 * Runs the program of the command `procwire` with what V8 has compiled of it at an earlier start, on Node and Deno.
 *
 * `.ci/procwire.mjs` makes the program a function of `require`, `import` and the URL of the command, in a script beside
 * the command. Each command that is started often has its own file, of the functions that it needs. It is written once:
 * when a server has been up for a second, or when a command ends, but not the very first one, which leaves only a mark.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, dirname } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import * as Folders from "../host/Folders.ts"
import { cacheFolder as cacheOfUser, type Early } from "../start/Early.ts"

/** The program that the build has made. */
export interface Program {
  /** The URL of the command, beside which the program is. */
  readonly url: string
  readonly hash: string
  /** Name and version of the runtime, for the name of the file. */
  readonly runtime: string
  /** Runs what makes the code that is kept, with the flags of V8 that held when the program was compiled. */
  readonly withFlags?: (make: () => void) => void
}

/** The program as the build has made it: a script has neither `require` nor `import` of its own. */
type StartedProgram = (
  require: NodeJS.Require,
  importModule: (url: string) => Promise<unknown>,
  commandUrl: string,
  early: Early | undefined,
) => void

const writtenAfterMillis = 1000

/** Returns when the program has started. `early` is the start before it. */
export const run = ({ url, hash, runtime, withFlags = (make) => make() }: Program, early?: Early): void => {
  const filename = fileURLToPath(new URL("procwire-parts/procwire.cjs", url))
  const command = process.argv[2] ?? ""
  const cache = cacheOf(command, runtime, hash)
  const found = cache?.read()
  const cachedData = found?.length === 0 ? undefined : found
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData })
  const isKept = cachedData !== undefined && script.cachedDataRejected === false
  const program = script.runInThisContext() as StartedProgram
  // Effect looks at a stack when it is loaded, and V8 would have to find all lines and positions of the program for it.
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  program(createRequire(url), (module) => import(module), url, early)
  Error.stackTraceLimit = limit
  if (cache === undefined || isKept) return
  const write = () => withFlags(() => cache.write(script.createCachedData()))
  // The first command of a new user need not wait for code that perhaps never runs again.
  const atExit = found === undefined ? () => cache.write(Buffer.alloc(0)) : write
  process.on("exit", atExit)
  if (command === "run" || command === "ps") return
  setTimeout(() => {
    process.off("exit", atExit)
    write()
  }, writtenAfterMillis).unref()
}

const cacheOf = (command: string, runtime: string, hash: string): CodeCache | undefined => {
  const folder = ["serve", "run", "mcp", "ps"].includes(command) ? cacheFolder(process.env) : undefined
  return folder === undefined ? undefined : makeCache(join(folder, `${command}-${runtime}`), hash)
}

interface CodeCache {
  /** The code that an earlier start has written, empty if only a mark; undefined if there is none for this program. */
  readonly read: () => Buffer | undefined
  readonly write: (code: Buffer) => void
}

/** The folder, where Node's own variable does not forbid it; undefined if this user has none. */
const cacheFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { NODE_DISABLE_COMPILE_CACHE: disabled } = env
  return disabled === undefined ? cacheOfUser(env) : undefined
}

/** `program`: what tells it from all others, such as a hash; it begins the file. */
const makeCache = (file: string, program: string): CodeCache => ({
  read: () =>
    attempt(() => {
      const bytes = readTrusted(file)
      return bytes?.toString("latin1", 0, program.length) === program
        ? bytes.subarray(program.length)
        : undefined
    }),
  // V8 does not notice pages that a crash of the machine has left empty, so the file is on the disk first.
  write: (code) =>
    attempt(() => {
      Folders.make(dirname(file), 0o700)
      Folders.replaceFile(file, Buffer.from(program, "latin1"), code)
    }),
})

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

const readTrusted = (file: string): Buffer | undefined => {
  // A FIFO of that name must not keep the start waiting.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { mode, uid } = fstatSync(descriptor)
    return uid === process.geteuid?.() && (mode & 0o022) === 0 ? readFileSync(descriptor) : undefined
  } finally {
    closeSync(descriptor)
  }
}
