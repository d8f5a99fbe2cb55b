/** The flags of every limit of the table, their help, and the limits from what was given. */
import * as Limits from "../../../core/protocol/Limits.ts"
import * as Flags from "./Flags.ts"

/** Lines of at most 88 characters, indented below the first. */
const wrap = (text: string): string => text.replace(/(.{1,88})(?: |$)/g, `$1\n${" ".repeat(29)}`).trimEnd()

const nameOf = (flag: string): string => `--${flag} N`

export const flags: { readonly [flag: string]: { readonly type: "string" } } = Object.fromEntries(
  Limits.names.map((name) => [Limits.table[name].flag, { type: "string" }]),
)

/** A line for each, for the help text. */
export const help: string = Limits.names
  .map((name) => Limits.table[name])
  .map(
    ({ flag, help, default: usual }) => `  ${nameOf(flag).padEnd(26)} ${wrap(`${help} [default: ${usual}]`)}`,
  )
  .join("\n")

/** The limits from the values of the flags; what is no use as a limit is wrong use of the command. */
export const toLimits = (command: string, values: { readonly [flag: string]: unknown }): Limits.Limits => {
  const valueOf = (name: Limits.Name): number => {
    const { flag, least, most, default: usual } = Limits.table[name]
    const value = values[flag]
    return typeof value === "string" ? Flags.wholeNumber(command, `--${flag}`, value, least, most) : usual
  }
  return Object.fromEntries(Limits.names.map((name) => [name, valueOf(name)])) as unknown as Limits.Limits
}
