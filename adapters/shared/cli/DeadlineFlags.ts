/** `--timeout`, `--idle-timeout` and `--kill-grace`: when a command is ended, and how. */
import * as Effect from "effect/Effect"
import type { Exited } from "../../../core/client/ProcessEvent.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Flags from "./Flags.ts"
import type { FlagSpecs } from "./table/Spec.ts"

export const flags = {
  timeout: {
    type: "string",
    shows: "DURATION",
    help: "the longest that the command may run, as in 500ms, 30s or 2m; the server ends it then",
  },
  "idle-timeout": {
    type: "string",
    shows: "DURATION",
    help: "the longest that the command may run without output",
  },
  "kill-grace": {
    type: "string",
    shows: "DURATION",
    help: "at a timeout: from SIGTERM to the SIGKILL of what is left of the command [default: 5s]",
  },
} as const satisfies FlagSpecs

/** The exit code after a timeout, as that of `timeout` of coreutils. */
export const exitCode = 124

/** The options of the start. */
export const read = (
  command: string,
  values: Flags.Values<typeof flags>,
): Effect.Effect<Pick<StartOptions, "timeoutMs" | "idleTimeoutMs" | "killGraceMs">, Flags.UsageError> =>
  Effect.gen(function* () {
    const timeoutMs = yield* atLeastOne(command, "--timeout", values.timeout)
    const idleTimeoutMs = yield* atLeastOne(command, "--idle-timeout", values["idle-timeout"])
    const grace = values["kill-grace"]
    if (grace !== undefined && timeoutMs === undefined && idleTimeoutMs === undefined) {
      return yield* new Flags.UsageError({
        command,
        message: "--kill-grace needs a --timeout or an --idle-timeout",
      })
    }
    const killGraceMs =
      grace === undefined ? undefined : yield* Flags.duration(command, "--kill-grace", grace)
    return {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
      ...(killGraceMs === undefined ? {} : { killGraceMs }),
    }
  })

/** What a user is told of a command that a deadline has ended; undefined for another end. */
export const noticeOf = (
  { endedBy }: Exited,
  { timeoutMs, idleTimeoutMs }: StartOptions,
): string | undefined => {
  if (endedBy === "timeout") return `the command was ended: it ran longer than ${timeoutMs} ms (--timeout)`
  if (endedBy === "idleTimeout")
    return `the command was ended: it had no output for ${idleTimeoutMs} ms (--idle-timeout)`
  return undefined
}

const atLeastOne = (command: string, flag: string, text: string | undefined) =>
  text === undefined
    ? Effect.succeed(undefined)
    : Effect.filterOrFail(
        Flags.duration(command, flag, text),
        (millis) => millis >= 1,
        () =>
          new Flags.UsageError({
            command,
            message: `invalid value '${text}' for '${flag}': expected at least 1ms; leave it out for no bound`,
          }),
      )
