/**
 * Options from the environment: `PROCWIRE_MAX_PROCESSES` is that of `--max-processes`, for every option of the table.
 *
 * The values of a list are separated by white space. An empty variable counts as none. A variable whose name is nearly
 * one of them is an error, because its author expects it to work; all others are left alone.
 */
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import type { Givens } from "./Given.ts"
import * as Option from "./Option.ts"
import * as Options from "./Options.ts"
import { invalid, type ServeError } from "./ServeError.ts"

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

/** The options that the variables give. */
export const read = (env: Env): Effect.Effect<Givens, ServeError> =>
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

/** What a variable was probably meant to be; empty for those that are right, and for those of somebody else. */
const suggestion = (name: string): string => {
  if (!name.startsWith(prefix) || variables.includes(name) || others.includes(name)) return ""
  const [nearest] = Suggestion.near(
    name.slice(prefix.length),
    variables.map((variable) => variable.slice(prefix.length)),
  )
  return nearest === undefined ? "" : `; did you mean '${prefix}${nearest}'?`
}

const prefix = "PROCWIRE_"
