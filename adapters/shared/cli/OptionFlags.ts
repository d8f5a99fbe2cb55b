/** The flags of the table of options, and their values. */
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as Given from "../serve/Given.ts"
import * as Option from "../serve/Option.ts"
import type * as Logging from "../serve/Logging.ts"
import * as Options from "../serve/Options.ts"
import type { ServeError } from "../serve/ServeError.ts"
import * as Flags from "./Flags.ts"

type Entries = ReadonlyArray<Options.Entry>

export const flagsOf = (entries: Entries): Flags.FlagTable =>
  Object.fromEntries(
    entries.map(({ option }) => [
      option.flag,
      option.kind === "switch" ? Flags.toggle(option.help) : valued(option),
    ]),
  )

const valued = (option: Exclude<Option.Option, { readonly kind: "switch" }>): Flags.Flag => ({
  type: "string",
  multiple: option.kind === "text" && option.repeatable === true,
  shows: option.shows,
  help: option.default === undefined ? option.help : `${option.help} [default: ${option.default}]`,
  ...(option.kind === "choice" ? { completes: option.of } : {}),
})

/** An option that was not given, as errors name it. */
export const label = ({ option }: Options.Entry): string => `--${option.flag}`

export const fromValues = (entries: Entries, values: Readonly<Record<string, unknown>>): Given.Givens =>
  new Map(
    entries.flatMap((entry) => {
      const text = values[entry.option.flag]
      const value = typeof text === "string" ? Option.fromText(entry.option, text) : text
      return value === undefined ? [] : [[entry.path, { value, label: label(entry) }] as const]
    }),
  )

/** The options of a server: a flag wins over a variable, and a variable over the file that `--config` names. */
export const settle = (
  given: Given.Givens,
  config: string | undefined,
  env: Given.Env,
): Effect.Effect<Given.Settings, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const fromEnvironment = yield* Given.fromEnvironment(env)
    const variable = env[Given.configVariable] || undefined
    const file = config ?? variable
    const from = config === undefined ? Given.configVariable : "--config"
    const sources = file === undefined ? [] : [yield* Given.fromFile(file, from)]
    return yield* Given.settle([...sources, fromEnvironment, given], label)
  })

/** `--log-format` and `--log-level`, as `procwire serve` has them. */
export const logFlags = flagsOf(Options.logging) as {
  readonly [name in "log-format" | "log-level"]: Flags.Flag & { readonly type: "string" }
}

export const readLogs = (
  values: Readonly<Record<string, unknown>>,
): Effect.Effect<Logging.Options, Flags.UsageError> =>
  Given.settle([fromValues(Options.logging, values)], label).pipe(
    Effect.mapBoth({
      onSuccess: ({ options }) => options,
      onFailure: ({ message }) => Flags.wrong(message),
    }),
  )

/** The error of a server that does not begin: wrong use and a bad configuration exit with 2, an address in use with 1. */
export const toFlagError = (error: ServeError): ServeError | Flags.UsageError | Flags.ConfigurationError => {
  const { reason, message } = error
  if (reason === "Listen") return error
  return reason === "InvalidOption" ? Flags.wrong(message) : new Flags.ConfigurationError({ message })
}
