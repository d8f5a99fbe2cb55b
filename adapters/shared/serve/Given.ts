/**
 * The values that options are given, by a program, a file or the environment, and their labels, by which errors name
 * them. Several sources become one set of checked options; a later source wins.
 */
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import * as TextFile from "../host/TextFile.ts"
import { isOfEffect3 } from "../../../core/protocol/OtherEffect.ts"
import * as Option from "./Option.ts"
import * as Options from "./Options.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/** One unchecked value. */
export interface Given {
  readonly value: unknown
  /** Its name in errors: `--listen`, `PROCWIRE_LISTEN`, `listen (/etc/procwire.conf:3)`, `listen`. */
  readonly label: string
}

/** The values of one source. */
export type Givens = ReadonlyMap<Options.Path, Given>

/** Options that are possible, each for itself. */
export interface Settings {
  readonly options: Options.Options
  readonly label: Option.Label
}

/** Checks what the sources give, the last one first. `usual` names options that none of them gives. */
export const settle = (
  sources: ReadonlyArray<Givens>,
  usual: (entry: Options.Entry) => string,
): Effect.Effect<Settings, ServeError> =>
  Effect.gen(function* () {
    const given = new Map(sources.flatMap((source) => [...source]))
    const options: Record<string, unknown> = {}
    const labels = new Map(Options.all.map((entry) => [entry.path, usual(entry)]))
    for (const [path, found] of given) {
      if (found.value === undefined) continue
      const rule = Options.ruleOf(path)
      if (!rule.accepts(found.value)) return yield* refuse(found, rule)
      labels.set(path, found.label)
      put(options, path, found.value)
    }
    // Every value has been checked by its rule.
    return { options: options as Options.Options, label: (path) => labels.get(path) ?? path }
  })

/** An error that names the value, the option as it was given, and the possible values. */
export const refuse = (
  { value, label }: Given,
  { expected, isSecret }: Omit<Option.Rule, "accepts">,
): ServeError => {
  const plain = isSecret !== true && (typeof value === "string" || typeof value === "number")
  const shown = plain || typeof value === "boolean" ? `'${String(value)}'` : kindOf(value)
  return invalid(
    label.startsWith("--")
      ? `invalid value ${shown} for '${label}': expected ${expected}`
      : `${label}: invalid value ${shown}: expected ${expected}`,
  )
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return isOfEffect3(value) ? "a layer of Effect 3" : `a ${typeof value}`.replace("a o", "an o")
}

const put = (options: Record<string, unknown>, path: Options.Path, value: unknown): void => {
  const [group = "", name] = path.split(".")
  options[group] = name === undefined ? value : { ...Object(options[group]), [name]: value }
}

/**
 * The options of a file: one in each line, its flag without dashes, blanks (or `=`), and its value, which ends with the
 * line. Empty lines and those that begin with `#` count for nothing; an option that may be repeated has a line for each
 * value; an option without a value is switched on by its name alone. Errors name the option of the file by `label`.
 */
export const fromFile = (
  file: string,
  label: string,
): Effect.Effect<Givens, ServeError, TextFile.TextFiles> =>
  TextFile.readText(file, (reason) => misconfigured(`cannot read ${label} ${file}: ${reason}`)).pipe(
    Effect.flatMap((text) => parse(file, text)),
  )

const byFlag = new Map(Options.all.map((entry) => [entry.option.flag, entry]))

const parse = (file: string, text: string): Effect.Effect<Givens, ServeError> =>
  Effect.gen(function* () {
    const givens = new Map<Options.Path, Given>()
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const [, name, rest = ""] = /^\s*([^\s=#][^\s=]*)(?:\s*=|\s|$)\s*(.*?)\s*$/.exec(line) ?? []
      const place = `${file}:${index + 1}`
      if (name === undefined && !/^\s*(#.*)?$/.test(line))
        return yield* invalid(`${place}: expected the name of an option and its value`)
      if (name === undefined) continue
      const entry = byFlag.get(name)
      if (entry === undefined) {
        const meant = Suggestion.ofWord(name, [...byFlag.keys()])
        return yield* invalid(`${place}: there is no option '${name}'${meant}`)
      }
      const { path, option } = entry
      const before = givens.get(path)
      const isList = option.kind === "text" && option.repeatable === true
      if (before !== undefined && !isList)
        return yield* invalid(`${place}: '${name}' was given before: ${before.label}`)
      if (rest === "" && option.kind !== "switch")
        return yield* invalid(`${place}: '${name}' needs a value: ${name} ${option.shows}`)
      const value = isList
        ? [...((before?.value as ReadonlyArray<string>) ?? []), rest]
        : Option.fromText(option, rest === "" ? "true" : rest)
      givens.set(path, { value, label: before?.label ?? `${name} (${place})` })
    }
    return givens
  })

/** The variable that names a configuration file. */
export const configVariable = "PROCWIRE_CONFIG"

/** Every variable that configures a server. */
export const variables: ReadonlyArray<string> = [
  configVariable,
  ...Options.all.map(({ option }) => Options.variableOf(option)),
]

/** Variables of the same prefix that are no options of a server. */
const others: ReadonlyArray<string> = [
  "PROCWIRE_LOG",
  "PROCWIRE_TOKEN",
  "PROCWIRE_SERVER",
  "PROCWIRE_DIRECTORY",
  "PROCWIRE_SSH_CONFIG",
]

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/**
 * The options of the environment: `PROCWIRE_MAX_PROCESSES` is that of `--max-processes`, for every option of the table.
 *
 * White space separates the values of a list. An empty variable counts as none. A variable whose name is nearly one of
 * them is an error, because its author expects it to work; all others are left alone.
 */
export const fromEnvironment = (env: Env): Effect.Effect<Givens, ServeError> =>
  Effect.gen(function* () {
    const unknown = Object.keys(env).find((name) => suggestion(name) !== "")
    if (unknown !== undefined)
      return yield* invalid(`there is no variable '${unknown}'${suggestion(unknown)}`)
    return new Map(
      Options.all.flatMap(({ path, option }) => {
        const label = Options.variableOf(option)
        const text = env[label] ?? ""
        if (text.trim() === "") return []
        const isList = option.kind === "text" && option.repeatable === true
        const value = isList ? text.trim().split(/\s+/) : Option.fromText(option, text.trim())
        return [[path, { value, label }] as const]
      }),
    )
  })

/** The probable name of a misspelt variable; empty for those that are right, and for foreign ones. */
const suggestion = (name: string): string => {
  if (!name.startsWith(prefix) || variables.includes(name) || others.includes(name)) return ""
  const [nearest] = Suggestion.near(
    name.slice(prefix.length),
    variables.map((variable) => variable.slice(prefix.length)),
  )
  return nearest === undefined ? "" : `; did you mean '${prefix}${nearest}'?`
}

const prefix = "PROCWIRE_"
