/** `--reconnect`: for how long a lost connection to a running server is tried to be replaced. */
import * as Effect from "effect/Effect"
import type { ReconnectPolicy } from "../../../core/client/ReconnectPolicy.ts"
import * as Flags from "./Flags.ts"
import type { FlagSpecs } from "./table/Spec.ts"
import type { Target } from "./TargetFlags.ts"

export const flags = {
  reconnect: {
    type: "string",
    shows: "DURATION",
    help:
      "with a server at a URL: how long a lost connection is tried to be replaced, as in 500ms, 30s or 2m; with 0 its " +
      "loss is final [default: 25s]",
  },
} as const satisfies FlagSpecs

/** The policy of `command`; false for none. */
export const read = (
  command: string,
  { reconnect }: Flags.Values<typeof flags>,
  target: Target,
): Effect.Effect<ReconnectPolicy | false, Flags.UsageError> => {
  const hasUrl = "url" in target || "own" in target
  if (reconnect === undefined) return Effect.succeed(hasUrl && {})
  if (!hasUrl) return new Flags.UsageError({ command, message: "--reconnect needs a --server" })
  return Effect.map(
    Flags.duration(command, "--reconnect", reconnect),
    (millis) => millis > 0 && { window: millis },
  )
}
