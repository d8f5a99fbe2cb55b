/** Flags of the command line: their tables, their values, and the error for wrong use. */
import { parseArgs } from "node:util"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import { longestTimerMillis } from "../../../core/protocol/Timer.ts"

/** Wrong use of the command line: the message names the flag or the value, and the exit code is 2. */
export class UsageError extends Data.TaggedError("UsageError")<{
  /** The command whose help the user is pointed to, such as `procwire serve`. */
  readonly command: string
  readonly message: string
}> {}

/** Flags that are well-formed, but with which no server can or may start: the exit code is 2 as well. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly message: string
}> {}

export interface Flag {
  readonly type: "string" | "boolean"
  /** One letter. */
  readonly short?: string
  /** True for a flag that may be repeated: its value is a list. */
  readonly multiple?: boolean
}

/** Flags by their long names, without the dashes. */
export type FlagTable = Readonly<Record<string, Flag>>

/** The values of the flags of a table; a flag that was not given is absent. */
export type Values<F extends FlagTable> = {
  readonly [Name in keyof F]?: F[Name] extends { readonly type: "boolean" }
    ? boolean
    : F[Name] extends { readonly multiple: true }
      ? ReadonlyArray<string>
      : string
}

/** Parses flags. Fails with the name of an unknown flag, of a flag without its value, or of a stray argument. */
export const parse = <F extends FlagTable>(
  command: string,
  args: ReadonlyArray<string>,
  flags: F,
): Effect.Effect<Values<F>, UsageError> =>
  Effect.flatMap(parseAll(command, args, flags), ({ values, operands: [stray] }) =>
    stray === undefined
      ? Effect.succeed(values)
      : new UsageError({ command, message: `unexpected argument '${stray}'` }),
  )

/** What a command line has. */
export interface Parsed<F extends FlagTable> {
  readonly values: Values<F>
  /** What is no flag, and all behind `--`. */
  readonly operands: ReadonlyArray<string>
}

/** Parses flags, and operands between and behind them. */
export const parseAll = <F extends FlagTable>(
  command: string,
  args: ReadonlyArray<string>,
  flags: F,
): Effect.Effect<Parsed<F>, UsageError> =>
  Effect.try({
    try: () => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: flags,
        allowPositionals: true,
        strict: true,
      })
      return { values: values as Values<F>, operands: positionals }
    },
    catch: (error) => new UsageError({ command, message: explain(error, args, flags) }),
  })

/** Reads a whole number from `least` to `most`; `flag` names it in the error. */
export const wholeNumber = (
  command: string,
  flag: string,
  value: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): Effect.Effect<number, UsageError> => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return Effect.succeed(number)
  const bound = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ""
  const reason = `expected a whole number of at least ${least}${bound}`
  return new UsageError({ command, message: `invalid value '${value}' for '${flag}': ${reason}` })
}

/** Milliseconds of the units of a duration. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A line for the help of each command with such a flag. */
export const durationText = "A duration is a number of seconds, or one with a unit: 500ms, 30s, 2m, 1h."

/** Reads a number of seconds, or one with a unit, as milliseconds, at most `most`; `flag` names it in the error. */
export const duration = (
  command: string,
  flag: string,
  value: string,
  most = longestTimerMillis,
): Effect.Effect<number, UsageError> => {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? []
  const millis = Math.round(Number(count ?? 0) * (units[unit] ?? 0))
  if (millis > most)
    return new UsageError({
      command,
      message: `invalid value '${value}' for '${flag}': expected at most 596h`,
    })
  if (count !== undefined) return Effect.succeed(millis)
  const message = `invalid value '${value}' for '${flag}': expected seconds, or a duration such as 500ms, 30s or 2m`
  return new UsageError({ command, message })
}

/** Names the first flag that lacks its value or is unknown, whatever else is wrong; the runtimes' own texts vary. */
const explain = (error: unknown, args: ReadonlyArray<string>, flags: FlagTable): string => {
  const lacking = args.find((arg, index) => takesValue(arg, flags) && /^-./s.test(args[index + 1] ?? "--"))
  if (lacking !== undefined)
    return `'${lacking}' needs a value; one that begins with - is written ${lacking}=VALUE`
  const flag = args.find((arg) => arg.startsWith("-") && !known(arg, flags))?.replace(/=.*$/s, "")
  const names = Object.keys(flags).map((name) => `--${name}`)
  if (flag !== undefined) return `unexpected argument '${flag}'${Suggestion.ofWord(flag, names)}`
  const message = error instanceof Error ? error.message : String(error)
  return message.split("\n")[0]?.replace(/^Option /, "option ") ?? message
}

/** True for a flag, without `=VALUE`, whose value is the next argument. */
export const takesValue = (arg: string, flags: FlagTable): boolean =>
  Object.entries(flags).some(
    ([long, { type, short }]) =>
      type === "string" && (arg === `--${long}` || (short !== undefined && arg === `-${short}`)),
  )

const known = (arg: string, flags: FlagTable): boolean => {
  const name = arg.replace(/^--?/, "").replace(/=.*$/s, "")
  return Object.entries(flags).some(([long, { short }]) =>
    arg.startsWith("--") ? long === name : short === name[0],
  )
}
