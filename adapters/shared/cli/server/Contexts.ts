/**
 * Servers by name, in `contexts.json` of the user's configuration: `{"current": "build", "contexts": {"build":
 * {"server": "ssh://build-host"}}}`. The name `own` is the server of one's own.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Folders from "../../host/Folders.ts"
import * as OsError from "../../host/OsError.ts"
import { ConfigurationError } from "../Flags.ts"
import * as OwnFolder from "./OwnFolder.ts"

export interface Context {
  readonly server: string
  /** The file with its token, and those of TLS; absolute paths. */
  readonly tokenFile?: string
  readonly tlsCa?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
}

export interface Contexts {
  /** The name of the one that commands use; `own` if it is absent. */
  readonly current?: string
  readonly contexts: Readonly<Record<string, Context>>
}

export const own = "own"

export const isName = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(text)

export const fileOf = (env: OwnFolder.Env): string => join(OwnFolder.configPath(env), "contexts.json")

/** The content of the file; nothing if there is none. */
export const read = (env: OwnFolder.Env): Effect.Effect<Contexts, ConfigurationError> =>
  Effect.suspend(() => {
    const file = fileOf(env)
    const fail = (why: string) =>
      Effect.fail(new ConfigurationError({ message: `cannot read ${file}: ${why}; mend it, or remove it` }))
    try {
      const found: unknown = JSON.parse(fs.readFileSync(file, "utf8"))
      return isContexts(found)
        ? Effect.succeed(found)
        : fail('expected {"contexts": {NAME: {"server": URL}}}')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return Effect.succeed({ contexts: {} })
      return fail(error instanceof SyntaxError ? error.message : OsError.fromUnknown(error).message)
    }
  })

/** Replaces the file as a whole; only its owner may read it. */
export const write = (env: OwnFolder.Env, contexts: Contexts): Effect.Effect<void, ConfigurationError> =>
  Effect.try({
    try: () => {
      Folders.make(OwnFolder.configPath(env), 0o700)
      Folders.replaceFile(fileOf(env), `${JSON.stringify(contexts, undefined, 2)}\n`)
    },
    catch: (cause) =>
      new ConfigurationError({
        message: `cannot write ${fileOf(env)}: ${OsError.fromUnknown(cause).message}`,
      }),
  })

const isContexts = (found: unknown): found is Contexts => {
  if (!isRecord(found) || !isRecord(found["contexts"])) return false
  const { current, contexts } = found
  return (
    (current === undefined || typeof current === "string") &&
    Object.values(contexts).every(
      (context) =>
        isRecord(context) &&
        typeof context["server"] === "string" &&
        Object.values(context).every((value) => typeof value === "string"),
    )
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
