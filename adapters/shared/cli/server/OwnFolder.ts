/**
 * The folders of a user: `$XDG_RUNTIME_DIR/procwire` for the socket of the server of one's own, and
 * `$XDG_CONFIG_HOME/procwire` for contexts.
 *
 * Where `XDG_RUNTIME_DIR` is not set, it is a folder of the user in the one for temporary files. Only its owner may
 * write to it: whoever may could replace the socket.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { homedir, tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Folders from "../../host/Folders.ts"
import * as OsError from "../../host/OsError.ts"
import { ConfigurationError } from "../Flags.ts"

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Where the socket of the server of one's own is. */
export const runtimePath = (env: Env): string => {
  const base = env["XDG_RUNTIME_DIR"] ?? ""
  return isAbsolute(base)
    ? join(base, "procwire")
    : join(tmpdir(), `procwire-${process.geteuid?.() ?? "user"}`)
}

/** Where histories of the server of one's own are: on a disk, where there is more room than at its socket. */
export const historiesPath = (env: Env): string => {
  const place = createHash("sha256").update(runtimePath(env)).digest("hex").slice(0, 8)
  return join(tmpdir(), `procwire-histories-${process.geteuid?.() ?? "user"}-${place}`)
}

/** Where the contexts are. */
export const configPath = (env: Env): string => {
  const base = env["XDG_CONFIG_HOME"] ?? ""
  return join(isAbsolute(base) ? base : join(homedir(), ".config"), "procwire")
}

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
      const why = unsafe(found)
      if (why !== undefined) return Effect.fail(refusal(path, why))
      if ((found.mode & 0o077) !== 0) fs.chmodSync(path, 0o700)
      return Effect.succeed(path)
    },
  )

/** Why nobody but its owner is kept from replacing what is in a folder; undefined if it is fine. */
const unsafe = (found: fs.Stats): string | undefined => {
  if (!found.isDirectory()) return "it is no directory"
  const own = process.geteuid?.()
  if (own !== undefined && found.uid !== own) return `it belongs to the user ${found.uid}`
  return (found.mode & 0o022) === 0 ? undefined : "others may write to it"
}

const refusal = (path: string, why: string) =>
  new ConfigurationError({
    message: `cannot use ${path} for a server of your own: ${why}; remove it, or set XDG_RUNTIME_DIR to another folder`,
  })

/** What the user has set is named where that is what cannot be used. */
const unmade = (path: string, env: Env, why: string) => {
  const base = env["XDG_RUNTIME_DIR"] ?? ""
  if (!isAbsolute(base) || fs.existsSync(base)) return refusal(path, why)
  return new ConfigurationError({
    message:
      `cannot use ${path} for a server of your own: ${base}, which XDG_RUNTIME_DIR names, is not there, and cannot be ` +
      `made: ${why}; make it, or unset XDG_RUNTIME_DIR`,
  })
}
