/** Flags of the command line: their tables, how their values are read, and the error for wrong use. */
import { parseArgs } from "node:util"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import { longestTimerMillis } from "../../../core/protocol/Timer.ts"

/** Wrong use of the command line: the message names the flag or the value, and the exit code is 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export const wrong = (message: string): UsageError => new UsageError({ message })

/** Flags that are well-formed, but with which no server can or may start: the exit code is 2 as well. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly message: string
}> {}

/**
 * The kind of a value or an operand, for completion: names of a kind, or these words. `command` is a program, with
 * its arguments behind it.
 */
export type Kind = "process" | "context" | "host" | "file" | "directory" | "command" | ReadonlyArray<string>

/** A flag. Its help, its completion and its line in the man page derive from it. */
export interface Flag {
  readonly type: "string" | "boolean"
  /** One letter. */
  readonly short?: string | undefined
  /** True for a flag that may be repeated: its value is a list. */
  readonly multiple?: boolean
  /** The placeholder of its value: `DIR`. A switch has none. */
  readonly shows?: string
  /** Its text in the help, without a period. */
  readonly help: string
  readonly completes?: Kind | undefined
  /** Reads a text as its value; absent where the text is the value. `flag` is how errors name it. */
  readonly read?: Read<unknown>
  /** The flag without which this one means nothing. */
  readonly needs?: string
  /** Flags that cannot be given beside this one. */
  readonly excludes?: ReadonlyArray<string>
}

/** Reads the text of a value; `flag` is how errors name it. */
export type Read<A> = (text: string, flag: string) => Effect.Effect<A, UsageError>

/** Flags by their long names, without the dashes, in the order of the help. */
export type FlagTable = Readonly<Record<string, Flag>>

/** The value of a flag each time that it is given. */
type ValueOf<F> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly read: Read<infer A> }
    ? A
    : string

/** The values of the flags of a table; a flag that was not given is absent. */
export type Values<F extends FlagTable> = {
  readonly [Name in keyof F]?: F[Name] extends { readonly multiple: true }
    ? ReadonlyArray<ValueOf<F[Name]>>
    : ValueOf<F[Name]>
}

export const help = {
  help: { type: "boolean", short: "h", help: "show this text" },
} as const satisfies FlagTable

interface More {
  readonly short?: string
  readonly completes?: Kind
}

export const toggle = (help: string, short?: string) => ({ type: "boolean", short, help }) as const

export const text = (shows: string, help: string, { short, completes }: More = {}) =>
  ({ type: "string", short, shows, help, completes }) as const

/** A flag with a text that may be repeated. */
export const texts = (shows: string, help: string, more: More = {}) =>
  ({ ...text(shows, help, more), multiple: true }) as const

export const file = (help: string, short?: string) =>
  ({ ...text("FILE", help, { completes: "file" }), short }) as const

/** A flag with a duration, in milliseconds; the error for less than `least` has its `expected`. */
export const duration = (
  help: string,
  short?: string,
  least?: { readonly millis: number; readonly expected: string },
) =>
  ({
    ...text("DURATION", help),
    short,
    read: (text: string, flag: string) =>
      Effect.filterOrFail(
        readDuration(text, flag),
        (millis) => least === undefined || millis >= least.millis,
        () => wrong(`invalid value '${text}' for '${flag}': ${least?.expected}`),
      ),
  }) as const

export const whole = (help: string, least: number, most?: number) =>
  ({
    ...text("N", help),
    read: (text: string, flag: string) => readWhole(text, flag, least, most),
  }) as const

export const choice = <const Word extends string>(shows: string, words: ReadonlyArray<Word>, help: string) =>
  ({
    ...text(shows, help, { completes: words }),
    read: (text: string, flag: string): Effect.Effect<Word, UsageError> => {
      const word = words.find((each) => each === text)
      if (word !== undefined) return Effect.succeed(word)
      const expected = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
      return wrong(`invalid value '${text}' for '${flag}': expected ${expected}`)
    },
  }) as const

export interface Parsed<F extends FlagTable> {
  readonly values: Values<F>
  /** Words that are no flags, and all behind `--`. */
  readonly operands: ReadonlyArray<string>
}

/**
 * Parses flags, and operands between and behind them. Fails with the name of an unknown flag, of a flag without its
 * value, or of one whose value cannot be.
 */
export const parse = <F extends FlagTable>(
  args: ReadonlyArray<string>,
  flags: F,
): Effect.Effect<Parsed<F>, UsageError> =>
  Effect.gen(function* () {
    const options = Object.entries(flags).map(
      ([name, { type, short, multiple = false }]) =>
        [name, { type, multiple, ...(short === undefined ? {} : { short }) }] as const,
    )
    const { values, positionals } = yield* Effect.try({
      try: () => parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals: true }),
      catch: (error) => wrong(explain(error, args, flags)),
    })
    for (const [name, { needs, excludes = [] }] of Object.entries(flags)) {
      if (values[name] === undefined) continue
      const other = excludes.find((each) => values[each] !== undefined)
      if (other !== undefined) return yield* wrong(`--${name} and --${other} exclude each other`)
      if (needs !== undefined && values[needs] === undefined)
        return yield* wrong(`--${name} needs --${needs}`)
    }
    const found: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(values)) {
      const read = (text: unknown) => flags[name]?.read?.(String(text), `--${name}`) ?? Effect.succeed(text)
      found[name] = yield* Array.isArray(value) ? Effect.forEach(value, read) : read(value)
    }
    return { values: found as Values<F>, operands: positionals }
  })

export const readWhole = (
  value: string,
  flag: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): Effect.Effect<number, UsageError> => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return Effect.succeed(number)
  const bound = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ""
  return wrong(`invalid value '${value}' for '${flag}': expected a whole number of at least ${least}${bound}`)
}

/** Milliseconds of the units of a duration. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A line for the help of each command with such a flag. */
export const durationText = "A duration is a number of seconds, or one with a unit: 500ms, 30s, 2m, 1h."

/** Reads a number of seconds, or one with a unit, as milliseconds, at most `most`. */
export const readDuration = (
  value: string,
  flag: string,
  most = longestTimerMillis,
): Effect.Effect<number, UsageError> => {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? []
  const millis = Math.round(Number(count ?? 0) * (units[unit] ?? 0))
  if (millis > most) return wrong(`invalid value '${value}' for '${flag}': expected at most 596h`)
  if (count !== undefined) return Effect.succeed(millis)
  return wrong(
    `invalid value '${value}' for '${flag}': expected seconds, or a duration such as 500ms, 30s or 2m`,
  )
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
