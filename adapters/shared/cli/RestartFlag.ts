/** `--restart` of `procwire run`: when a process in the background is started again. */
import * as Effect from "effect/Effect"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import { UsageError } from "./Flags.ts"

/** As a start has it. */
export type Restart = NonNullable<StartOptions["restart"]>

/** What the flag may be, for completion. */
export const policies = ["no", "on-failure", "always"] as const

const words: Readonly<Record<(typeof policies)[number], Restart["policy"]>> = {
  no: "no",
  "on-failure": "onFailure",
  always: "always",
}

/** What the flag says; undefined if it was not given. */
export const read = (
  command: string,
  text: string | undefined,
): Effect.Effect<Restart | undefined, UsageError> => {
  if (text === undefined) return Effect.succeed(undefined)
  const [, bounded] = /^on-failure:([1-9]\d{0,8})$/.exec(text) ?? []
  if (bounded !== undefined) return Effect.succeed({ policy: "onFailure", most: Number(bounded) })
  const policy = policies.find((each) => each === text)
  if (policy !== undefined) return Effect.succeed({ policy: words[policy] })
  const expected = `expected no, on-failure, on-failure:N or always${Suggestion.ofWord(text, policies)}`
  return new UsageError({ command, message: `invalid value '${text}' for '--restart': ${expected}` })
}
