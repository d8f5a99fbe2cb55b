/** `run --restart`, and what lists and changes show of restarts. `procwire restart` restarts a process at once. */
import * as Effect from "effect/Effect"
import type { StartOptions } from "../../../../core/client/StartOptions.ts"
import * as Suggestion from "../../../../core/protocol/Suggestion.ts"
import * as Flags from "../Flags.ts"
import { unable } from "../server/Unable.ts"
import { isLive, type Seen } from "../show/Rows.ts"
import * as Texts from "../show/Texts.ts"
import * as Feature from "./Feature.ts"

type Policy = NonNullable<StartOptions["restart"]>

const policies = { no: "no", "on-failure": "onFailure", always: "always" } as const

const readPolicy = (text: string): Effect.Effect<Policy, Flags.UsageError> => {
  const [, bounded] = /^on-failure:([1-9]\d{0,8})$/.exec(text) ?? []
  if (bounded !== undefined) return Effect.succeed({ policy: "onFailure", most: Number(bounded) })
  const found = Object.entries(policies).find(([word]) => word === text)
  if (found !== undefined) return Effect.succeed({ policy: found[1] })
  const expected = `expected no, on-failure, on-failure:N or always${Suggestion.ofWord(text, Object.keys(policies))}`
  return Flags.wrong(`invalid value '${text}' for '--restart': ${expected}`)
}

/** The error for a server that starts no process again. */
export const restartsNothing = "this server restarts nothing: it is an older one, or of another make"

export const restart = Feature.make({
  flags: {
    restart: {
      ...Flags.text(
        "POLICY",
        "with --detach: when it is started again: no, on-failure, on-failure:N (at most N times) or always; also without " +
          "this client, as long as the server runs [default: no]",
        { completes: Object.keys(policies) },
      ),
      read: readPolicy,
      needs: "detach",
    },
  },
  examples: ["procwire run -d --restart on-failure:5 -- ./worker"],
  read: ({ restart }, { detach }) =>
    Effect.succeed(({ processRestart }) => {
      if (!detach) return Effect.succeed({})
      // So that procwire restart can start it again.
      if (processRestart === true) return Effect.succeed({ restart: restart ?? { policy: "no" } })
      return restart === undefined ? Effect.succeed({}) : unable(restartsNothing)
    }),
  columns: (rows, now) =>
    rows.some(({ restarts = 0 }) => restarts > 0)
      ? [
          { title: "UP", text: (row) => (isLive(row) ? upOf(row, now) : "-"), right: true },
          { title: "RESTARTS", text: ({ restarts = 0 }) => String(restarts), right: true },
        ]
      : [],
  columnsHelp: "UP is the time since the last restart.",
  facts: ({ restarts }) => ({ restarts }),
  changes: {
    restarted: {
      text: ({ restarts = 0 }) => `#${restarts}`,
      isIn: (listed, { restarts = 0 }) => restarts <= (listed.restarts ?? 0),
    },
  },
  errors: [
    [/cannot be restarted: /, (ref) => `${ref} cannot be restarted: it was not started by procwire run -d`],
  ],
})

/** The age of its child, which is that of a process which was never restarted. */
const upOf = ({ restarts = 0, startedAtMs, condition }: Seen, now: number): string => {
  const since = condition?.childStartedAtMs ?? (restarts === 0 ? startedAtMs : undefined)
  return since === undefined ? "-" : Texts.age(now - since)
}
