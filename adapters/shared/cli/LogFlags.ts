/** `--log-format` and `--log-level`, as `procwire serve` has them. */
import * as Effect from "effect/Effect"
import * as Given from "../serve/Given.ts"
import type * as Logging from "../serve/Logging.ts"
import * as Options from "../serve/Options.ts"
import * as Flags from "./Flags.ts"
import * as OptionFlags from "./OptionFlags.ts"
import type { FlagSpec } from "./table/Spec.ts"

export const flags = OptionFlags.flagsOf(Options.logging) as {
  readonly [name in "log-format" | "log-level"]: FlagSpec & { readonly type: "string" }
}

/** What the logs of `command` look like. */
export const read = (
  command: string,
  values: Flags.Values<typeof flags>,
): Effect.Effect<Logging.Options, Flags.UsageError> =>
  Given.settle([OptionFlags.fromValues(Options.logging, values)], OptionFlags.label).pipe(
    Effect.mapBoth({
      onSuccess: ({ options }) => options,
      onFailure: ({ message }) => new Flags.UsageError({ command, message }),
    }),
  )
