/** The flags of the table of options: for the parser, for the help, and what they give. */
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as ConfigFile from "../serve/ConfigFile.ts"
import * as Environment from "../serve/Environment.ts"
import * as Given from "../serve/Given.ts"
import * as Option from "../serve/Option.ts"
import type * as Options from "../serve/Options.ts"
import type { ServeError } from "../serve/ServeError.ts"
import type * as Flags from "./Flags.ts"

type Entries = ReadonlyArray<Options.Entry>

/** A flag for each option. */
export const flagsOf = (entries: Entries): Flags.FlagTable =>
  Object.fromEntries(
    entries.map(({ option }) => [
      option.flag,
      option.kind === "switch"
        ? { type: "boolean" }
        : { type: "string", multiple: option.kind === "text" && option.repeatable === true },
    ]),
  )

/** The help text: an entry for each option. */
export const helpOf = (entries: Entries): string =>
  entries
    .map(({ option }) => {
      const name = option.kind === "switch" ? `--${option.flag}` : `--${option.flag} ${option.shows}`
      const usual = option.kind === "switch" ? undefined : option.default
      const text = usual === undefined ? option.help : `${option.help} [default: ${usual}]`
      const head = name.length <= 26 ? name.padEnd(26) : `${name}\n${" ".repeat(28)}`
      return `  ${head} ${wrap(text)}\n`
    })
    .join("")

/** Wraps a text into lines of at most 88 characters, indented below the first. */
const wrap = (text: string): string => text.replace(/(.{1,88})(?: |$)/g, `$1\n${" ".repeat(29)}`).trimEnd()

/** How errors name an option that nobody has given. */
export const label = ({ option }: Options.Entry): string => `--${option.flag}`

/** What flags give, by the values that the parser has found. */
export const fromValues = (
  entries: Entries,
  values: { readonly [flag: string]: string | boolean | ReadonlyArray<string> | undefined },
): Given.Givens =>
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
  env: Environment.Env,
): Effect.Effect<Given.Settings, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const fromEnvironment = yield* Environment.read(env)
    const variable = env[Environment.configVariable] || undefined
    const file = config ?? variable
    const from = config === undefined ? Environment.configVariable : "--config"
    const sources = file === undefined ? [] : [yield* ConfigFile.read(file, from)]
    return yield* Given.settle([...sources, fromEnvironment, given], label)
  })
