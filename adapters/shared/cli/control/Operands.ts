/** The operands of commands that take names of processes. */
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"

const none = "no process is named; procwire ps lists them"

/** One name or more. */
export const some = (
  command: string,
  operands: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, Flags.UsageError> =>
  operands.length > 0 ? Effect.succeed(operands) : new Flags.UsageError({ command, message: none })

/** Exactly one name. */
export const one = (
  command: string,
  [name, more]: ReadonlyArray<string>,
): Effect.Effect<string, Flags.UsageError> => {
  if (name === undefined) return new Flags.UsageError({ command, message: none })
  return more === undefined
    ? Effect.succeed(name)
    : new Flags.UsageError({ command, message: `unexpected argument '${more}': one process at a time` })
}
