/** `--reconnect`: for how long a lost connection to a running server is tried to be replaced. */
import * as Effect from "effect/Effect"
import type { ReconnectPolicy } from "../../../core/client/ReconnectPolicy.ts"
import * as Flags from "./Flags.ts"

export const flags = {
  reconnect: { type: "string" },
} as const

export const help = `\
  --reconnect DURATION   with --server: how long a lost connection is tried to be replaced, as in 500ms, 30s or 2m;
                         with 0 its loss is final [default: 25s]
`

/** The policy of `command`; false for none. */
export const read = (
  command: string,
  { reconnect, server }: Flags.Values<typeof flags> & { readonly server?: string },
): Effect.Effect<ReconnectPolicy | false, Flags.UsageError> => {
  if (reconnect === undefined) return Effect.succeed(server !== undefined && {})
  if (server === undefined) {
    return new Flags.UsageError({ command, message: "--reconnect needs a --server" })
  }
  return Effect.map(
    Flags.duration(command, "--reconnect", reconnect),
    (millis) => millis > 0 && { window: millis },
  )
}
