/** The option `secrets`: the secrets of every process, from a JSON file or an object, each with one source. */
import { execFile, type ExecFileException } from "node:child_process"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Secrets from "../../../core/features/secrets/Secrets.ts"
import type { GivenSecret } from "../../../core/spawn/Spawner.ts"
import * as Attempt from "../host/Attempt.ts"
import * as TextFile from "../host/TextFile.ts"
import type * as Option from "./Option.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

/**
 * The source of a secret, which is read at the start of the server; `file` and `command` of one with hosts again at
 * each start of a process.
 */
export type SecretSource =
  | { readonly value: string }
  /** A variable of the server. */
  | { readonly env: string }
  /** The path of a text file; one line end at its end does not count. */
  | { readonly file: string }
  /** A program and its arguments, which print it; one line end at its end does not count. It has 30 seconds. */
  | { readonly command: readonly [program: string, ...args: ReadonlyArray<string>] }

/** The hosts that get a secret, where its processes have a placeholder. Only with the option `egress`. */
export type SecretUse = Pick<GivenSecret, "hosts" | "header" | "base" | "http">

/** Secrets by the names of their variables. */
export type SecretSources = Readonly<Record<string, SecretSource & SecretUse>>

/** The longest time of a command, in milliseconds. */
const commandMillis = 30_000

/** The option, and the labels of options. */
interface Given {
  readonly options: {
    readonly secrets?: string | SecretSources | undefined
    readonly egress?: string | ReadonlyArray<string> | undefined
  }
  readonly label: Option.Label
}

/** Reads the secrets of the options. Errors name a secret, and never say a value. */
export const read = ({
  options: { secrets, egress },
  label,
}: Given): Effect.Effect<ReadonlyArray<GivenSecret>, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    if (secrets === undefined) return []
    const name = typeof secrets === "string" ? `${label("secrets")} ${secrets}` : label("secrets")
    const wrong = (message: string) => misconfigured(`${name}: ${message}`)
    const sources = typeof secrets === "string" ? yield* fromFile(secrets, wrong) : secrets
    if (!isRecord(sources)) return yield* wrong("expected an object of secrets by name")
    const files = yield* TextFile.TextFiles
    const given = yield* Effect.forEach(Object.entries(sources), ([name, source], index) =>
      Secrets.isName(name)
        ? secretOf(name, source, (why) => wrong(`secret ${name}: ${why}`))
        : Effect.fail(wrong(Secrets.badName(index))),
    )
    const all = given.map(({ secret }) => secret)
    const hosted = all.find(Secrets.isHosted)
    if (hosted !== undefined && egress === undefined) return yield* wrong(Secrets.unguarded(hosted))
    const injecting =
      hosted && (yield* Effect.promise(() => import("../../../core/features/egress/Injecting.ts")))
    const fault = Secrets.fault(all) ?? injecting?.fault(all)
    if (fault !== undefined) return yield* wrong(fault)
    for (const { again, secret } of given)
      if (again !== undefined && secret.hosts !== undefined)
        injecting?.renew(secret, Effect.provideService(again, TextFile.TextFiles, files))
    return all
  })

/** A secret, and how its value is read again; that is undefined for a source that does not change. */
interface Read {
  readonly secret: GivenSecret
  readonly again: Effect.Effect<string, ServeError, TextFile.TextFiles> | undefined
}

const secretOf = (
  name: string,
  given: unknown,
  wrong: Wrong,
): Effect.Effect<Read, ServeError, TextFile.TextFiles> => {
  if (!isRecord(given)) return Effect.fail(wrong(expected))
  const { hosts, header, base, http, ...source } = given
  if (hosts !== undefined && !(Array.isArray(hosts) && hosts.every(isText)))
    return Effect.fail(wrong("hosts is no list of texts"))
  if ((header !== undefined && !isText(header)) || (base !== undefined && !isText(base)))
    return Effect.fail(wrong("header and base are texts"))
  if (http !== undefined && typeof http !== "boolean")
    return Effect.fail(wrong("http is neither true nor false"))
  const use = Object.entries({ hosts, header, base, http }).filter(([, value]) => value !== undefined)
  const changes = "file" in source || "command" in source
  return Effect.map(valueOf(source, wrong), (value) => ({
    secret: { name, value, ...Object.fromEntries(use) },
    again: changes ? valueOf(source, (why) => misconfigured(`secret ${name}: ${why}`)) : undefined,
  }))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type Wrong = (why: string) => ServeError

const fromFile = (file: string, wrong: Wrong) =>
  Effect.flatMap(TextFile.readText(file, wrong), (text) =>
    // The error of the parser quotes the text.
    Effect.try({ try: (): unknown => JSON.parse(text), catch: () => wrong("it is no JSON") }),
  )

const expected = "expected one of value, env and file with a text, or command with a list of texts"

const valueOf = (source: unknown, wrong: Wrong): Effect.Effect<string, ServeError, TextFile.TextFiles> => {
  const [[kind, from] = [], ...others] = isRecord(source) ? Object.entries(source) : []
  if (others.length > 0) return Effect.fail(wrong(expected))
  if (kind === "command" && Array.isArray(from) && from.length > 0 && from.every(isText))
    return run(from, wrong)
  if (!isText(from)) return Effect.fail(wrong(expected))
  switch (kind) {
    case "value":
      return Effect.succeed(from)
    case "env": {
      const value = process.env[from]
      return value === undefined ? Effect.fail(wrong(`there is no variable ${from}`)) : Effect.succeed(value)
    }
    case "file":
      return Effect.map(
        TextFile.readText(from, (reason) => wrong(`cannot read ${from}: ${reason}`)),
        withoutEnd,
      )
    default:
      return Effect.fail(wrong(expected))
  }
}

const isText = (value: unknown): value is string => typeof value === "string"

/** Without the line end of the last line. */
export const withoutEnd = (text: string): string => text.replace(/\r?\n$/, "")

/** The end of a command that failed; undefined if nothing is known of it. */
const endOf = ({ code, signal }: ExecFileException): string | undefined => {
  // The shell's code for a program that is not there, which is what starts it on Deno.
  if (isDeno && code === 127) return "ENOENT"
  return typeof code === "number" ? `exit code ${code}` : (code ?? signal ?? undefined)
}

const isDeno = "Deno" in globalThis

/** Its errors may have the value, and are reported by their kind alone. */
const run = (
  [program = "", ...args]: ReadonlyArray<string>,
  wrong: Wrong,
): Effect.Effect<string, ServeError> =>
  Effect.callback((resume) => {
    const [file, words] = isDeno ? Attempt.throughShell(program, args) : [program, args]
    const child = execFile(file, words, { timeout: commandMillis, encoding: "utf8" }, (error, stdout) => {
      if (error === null) return resume(Effect.succeed(withoutEnd(stdout)))
      resume(Effect.fail(wrong(`its command ${program} failed: ${endOf(error) ?? "no exit code"}`)))
    })
    child.stdin?.end()
  })
