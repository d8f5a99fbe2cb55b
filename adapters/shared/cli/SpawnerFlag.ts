/** `--spawner` of `procwire run` and `procwire mcp`, as `procwire serve` has it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Platform } from "../Platform.ts"
import * as ChosenSpawner from "../serve/ChosenSpawner.ts"
import { behaviour } from "../serve/OptionTable.ts"
import * as Flags from "./Flags.ts"

export const flags = {
  spawner: { type: "string", multiple: true },
} as const

/** What is used of the values of flags. */
interface Values {
  readonly spawner?: ReadonlyArray<string> | undefined
}

export const help = `${behaviour.spawner.help} [default: this machine]`
  .replaceAll(/(.{1,88})(?: |$)/g, `$1\n${" ".repeat(25)}`)
  .trimEnd()
  .replace(/^/, "  --spawner NAME         ")
  .replace(/$/, "\n")

/**
 * The platform whose processes the named spawners start; they live as long as the scope. Wrong use of the flag, and a
 * machine that lacks what a spawner needs, end the command with 2.
 */
export const apply = (
  command: string,
  platform: Platform,
  { spawner }: Values,
): Effect.Effect<Platform, Flags.UsageError | Flags.ConfigurationError, Scope.Scope> =>
  Effect.mapError(ChosenSpawner.apply(platform, spawner, "--spawner"), ({ message, reason }) =>
    reason === "InvalidOption"
      ? new Flags.UsageError({ command, message })
      : new Flags.ConfigurationError({ message }),
  )

/** A flag that has no effect is refused: another server starts processes as it was told. */
export const refuseRemote = (
  command: string,
  { spawner = [] }: Values,
  isRemote: boolean,
): Effect.Effect<void, Flags.UsageError> => {
  if (spawner.length === 0 || !isRemote) return Effect.void
  const message = "--spawner is for the server in this process: give it to the `procwire serve` that is used"
  return new Flags.UsageError({ command, message })
}
