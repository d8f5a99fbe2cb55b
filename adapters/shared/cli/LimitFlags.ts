/** A flag for every limit of the table: their help, and the limits from their values. */
import * as Effect from "effect/Effect"
import * as Limits from "../../../core/protocol/Limits.ts"
import * as Flags from "./Flags.ts"

/** Wraps a text into lines of at most 88 characters, indented below the first. */
const wrap = (text: string): string => text.replace(/(.{1,88})(?: |$)/g, `$1\n${" ".repeat(29)}`).trimEnd()

const nameOf = (flag: string): string => `--${flag} N`

export const flags: { readonly [flag: string]: { readonly type: "string" } } = Object.fromEntries(
  Limits.names.map((name) => [Limits.table[name].flag, { type: "string" }]),
)

/** The help text: an entry for each limit. */
export const help: string = Limits.names
  .map((name) => Limits.table[name])
  .map(
    ({ flag, help, default: usual }) => `  ${nameOf(flag).padEnd(26)} ${wrap(`${help} [default: ${usual}]`)}`,
  )
  .join("\n")

/** The limits from the values of the flags, with the defaults of the table. */
export const read = (
  command: string,
  values: { readonly [flag: string]: unknown },
): Effect.Effect<Limits.Limits, Flags.UsageError> =>
  Effect.gen(function* () {
    const limits: Record<Limits.Name, number> = { ...Limits.defaults }
    for (const name of Limits.names) {
      const { flag, least, most } = Limits.table[name]
      const value = values[flag]
      if (typeof value !== "string") continue
      limits[name] = yield* Flags.wholeNumber(command, `--${flag}`, value, least, most)
    }
    return limits
  })
