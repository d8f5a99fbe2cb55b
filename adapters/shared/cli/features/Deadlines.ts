/** `run --timeout`, `--idle-timeout` and `--kill-grace`: the server ends a command. */
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import * as Feature from "./Feature.ts"

const least = { millis: 1, expected: "expected at least 1ms; leave it out for no bound" }

export const deadlines = Feature.make({
  flags: {
    timeout: Flags.duration(
      "the longest that the command may run, as in 500ms, 30s or 2m; the server ends it then",
      undefined,
      least,
    ),
    "idle-timeout": Flags.duration("the longest that the command may run without output", undefined, least),
    "kill-grace": Flags.duration(
      "at a timeout: from SIGTERM to the SIGKILL of what is left of the command [default: 5s]",
    ),
  },
  examples: ["procwire run --timeout 10m --idle-timeout 2m -- npm test"],
  read: ({ timeout: timeoutMs, "idle-timeout": idleTimeoutMs, "kill-grace": killGraceMs }) =>
    killGraceMs !== undefined && timeoutMs === undefined && idleTimeoutMs === undefined
      ? Flags.wrong("--kill-grace needs a --timeout or an --idle-timeout")
      : Effect.succeed(() =>
          Effect.succeed({
            ...(timeoutMs === undefined ? {} : { timeoutMs }),
            ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
            ...(killGraceMs === undefined ? {} : { killGraceMs }),
          }),
        ),
  notice: ({ endedBy }, { timeoutMs, idleTimeoutMs }) => {
    if (endedBy === "timeout") return `the command was ended: it ran longer than ${timeoutMs} ms (--timeout)`
    if (endedBy === "idleTimeout")
      return `the command was ended: it had no output for ${idleTimeoutMs} ms (--idle-timeout)`
    return undefined
  },
})
