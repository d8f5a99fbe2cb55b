/**
 * The folders of a user: `$XDG_RUNTIME_DIR/procwire` for the socket of the server of one's own, and
 * `$XDG_CONFIG_HOME/procwire` for contexts.
 *
 * Without `XDG_RUNTIME_DIR` it is a folder of the user in the one for temporary files. Only its owner may
 * write to it: whoever may could replace the socket.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Folders from "../../host/Folders.ts"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as OsError from "../../host/OsError.ts"
import { ConfigurationError } from "../Flags.ts"
import { beginOf, running } from "../../process/ProcessBegin.ts"

export type Env = Readonly<Record<string, string | undefined>>

/** The folder of the socket of the server of one's own. */
export const runtimePath = (env: Env): string => {
  const base = env["XDG_RUNTIME_DIR"] ?? ""
  return isAbsolute(base)
    ? join(base, "procwire")
    : join(tmpdir(), `procwire-${process.geteuid?.() ?? "user"}`)
}

/** The folder of histories of the server of one's own: on a disk, where there is more room than at its socket. */
export const historiesPath = (env: Env): string => {
  const place = createHash("sha256").update(runtimePath(env)).digest("hex").slice(0, 8)
  return join(tmpdir(), `procwire-histories-${process.geteuid?.() ?? "user"}-${place}`)
}

/** The folder of the holder of its processes. */
export const keepPath = (env: Env): string => join(runtimePath(env), "keep")

export const configPath = (env: Env): string =>
  join(Folders.ofUser(env, "XDG_CONFIG_HOME", ".config"), "procwire")

/** The folder of the socket, or another one, which is made if it is not there, with mode 0700. */
export const make = (env: Env, path = runtimePath(env)): Effect.Effect<string, ConfigurationError> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        Folders.make(path, 0o700)
        return fs.lstatSync(path)
      },
      catch: (cause) => unmade(path, env, OsError.fromUnknown(cause).message),
    }),
    (found) => {
      const why = Folders.unsafe(found)
      if (why !== undefined) return Effect.fail(refusal(path, why))
      if ((found.mode & 0o077) !== 0) fs.chmodSync(path, 0o700)
      return Effect.succeed(path)
    },
  )

const refusal = (path: string, why: string) =>
  new ConfigurationError({
    message: `cannot use ${path} for a server of your own: ${why}; remove it, or set XDG_RUNTIME_DIR to another folder`,
  })

/** Names the variable of the user where that is the cause. */
const unmade = (path: string, env: Env, why: string) => {
  const base = env["XDG_RUNTIME_DIR"] ?? ""
  if (!isAbsolute(base) || fs.existsSync(base)) return refusal(path, why)
  return new ConfigurationError({
    message:
      `cannot use ${path} for a server of your own: ${base}, which XDG_RUNTIME_DIR names, is not there, and cannot be ` +
      `made: ${why}; make it, or unset XDG_RUNTIME_DIR`,
  })
}

const pidFile = (folder: string): string => join(folder, "server.pid")

export const writePid = (folder: string, pid: number): void => {
  Folders.replaceFile(pidFile(folder), `${pid} ${beginOf(pid)}\n`)
}

/** Notes the pid of a server that has taken the place of this one, if this one was the server of one's own. */
export const passPid = (env: Env, pid: number): void => {
  const folder = runtimePath(env)
  if (readPid(folder) === process.pid) writePid(folder, pid)
}

/** The pid that was noted, if that process still runs. */
export const readPid = (folder: string): number | undefined => {
  const [pid = 0, begin = ""] = KernelFiles.node.read(pidFile(folder)).trim().split(" ")
  return running(Number(pid), begin)
}

export const printedIn = (folder: string): string => join(folder, "server.out")

/** The file of a server that this process starts, until it listens: of two that start at once only one will. */
export const unfinishedIn = (folder: string): string => `${printedIn(folder)}.${process.pid}`

/** True if a server has printed a line, which it does when it listens. */
export const isBegun = (file: string): boolean => linesOf(file).length > 0

/** True if the server that runs has a page: it listens for browsers. */
export const hasPage = (folder: string): boolean =>
  linesOf(printedIn(folder)).some((line) => /^wss?:/.test(line))

/** Takes the last link out of the file; undefined if none is there. */
export const takeLink = (folder: string): string | undefined => {
  const lines = linesOf(printedIn(folder))
  const begin = lines.findIndex(isLink)
  if (begin < 0) return undefined
  // The server appends, wherever the file ends.
  fs.truncateSync(printedIn(folder), lines.slice(0, begin).join("").length)
  return lines.filter(isLink).at(-1)?.trimEnd()
}

const isLink = (line: string): boolean => /^https?:/.test(line)

/** Its whole lines, each with its end. A path of a socket may have any character, hence bytes as characters. */
const linesOf = (file: string): ReadonlyArray<string> => KernelFiles.node.read(file).match(/.*\n/g) ?? []
