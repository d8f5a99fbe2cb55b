/** Wrong use of the command line: a flag or value that is named, and exit code 2. */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as OsError from "../host/OsError.ts"

export class UsageError extends Error {
  /** The command whose help may be of use, such as `procwire serve`. */
  readonly command: string
  constructor(command: string, message: string) {
    super(message)
    this.command = command
  }
}

export interface Flag {
  readonly type: "string" | "boolean"
  readonly short?: string
  readonly multiple?: boolean
}

export type FlagTable = Readonly<Record<string, Flag>>

/** What the flags of a table were given as; absent where they were not. */
export type Values<F extends FlagTable> = {
  readonly [Name in keyof F]?: F[Name] extends { readonly type: "boolean" }
    ? boolean
    : F[Name] extends { readonly multiple: true }
      ? ReadonlyArray<string>
      : string
}

/** Parses flags; an unknown flag or a missing value is a `UsageError` that names it. */
export const parse = <F extends FlagTable>(
  command: string,
  args: ReadonlyArray<string>,
  flags: F,
): Values<F> => {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: false, strict: true })
    return values as Values<F>
  } catch (error) {
    throw new UsageError(command, explain(error, args, flags))
  }
}

/** What `read` returns; whatever it throws is wrong use. */
export const attempt = <A>(command: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    throw new UsageError(command, error instanceof Error ? error.message : String(error))
  }
}

/** The contents of the file that `flag` names. */
export const readText = (command: string, flag: string, file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new UsageError(command, `cannot read ${flag} ${file}: ${OsError.fromUnknown(error).message}`)
  }
}

/** A whole number from `least` to `most`; `flag` names it in the error. */
export const wholeNumber = (
  command: string,
  flag: string,
  value: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number
  const reason =
    number === 0
      ? "number would be zero for non-zero type"
      : `expected a whole number of at least ${least}${most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ""}`
  throw new UsageError(command, `invalid value '${value}' for '${flag}': ${reason}`)
}

const explain = (error: unknown, args: ReadonlyArray<string>, flags: FlagTable): string => {
  const flag = args.find((arg) => arg.startsWith("-") && !known(arg, flags))
  if (flag !== undefined) return `unexpected argument '${flag.replace(/=.*$/s, "")}'`
  const positional = /Unexpected argument '(.*?)'/s.exec(String(error))?.[1]
  if (positional !== undefined) return `unexpected argument '${positional}'`
  const message = error instanceof Error ? error.message : String(error)
  return message.split("\n")[0]?.replace(/^Option /, "option ") ?? message
}

const known = (arg: string, flags: FlagTable): boolean => {
  const name = arg.replace(/^--?/, "").replace(/=.*$/s, "")
  return Object.entries(flags).some(([long, { short }]) =>
    arg.startsWith("--") ? long === name : short === name[0],
  )
}
