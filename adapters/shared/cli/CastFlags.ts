/** `--format` and `--title` of recordings, and the lines of one. */
import * as Effect from "effect/Effect"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import { UsageError } from "./Flags.ts"
import * as Rows from "./show/Rows.ts"
import type { FlagSpecs } from "./table/Spec.ts"

const versions = ["v2", "v3"] as const

export const flags = {
  format: {
    type: "string",
    shows: "v2|v3",
    help: "the version of asciicast; v3 has the exit code [default: v2]",
    completes: versions,
  },
} as const satisfies FlagSpecs

/** The version that the flag says. */
export const readFormat = (
  command: string,
  text: string | undefined,
): Effect.Effect<Asciicast.Header["version"], UsageError> => {
  if (text === undefined || text === "v2") return Effect.succeed(2)
  if (text === "v3") return Effect.succeed(3)
  const message = `invalid value '${text}' for '--format': expected v2 or v3${Suggestion.ofWord(text, versions)}`
  return new UsageError({ command, message })
}

/** What a recording is made with. */
export interface Options {
  readonly version: Asciicast.Header["version"]
  readonly title?: string | undefined
  /** In seconds. */
  readonly idleTimeLimit?: number | undefined
  /** Goes on until this completes, or the process has closed; undefined for what was printed until now. */
  readonly until: Effect.Effect<unknown> | undefined
}

/** The lines of the recording of a process, from its begin. */
export const linesOf = (child: RemoteProcess, row: ListedProcess, { until, ...options }: Options) => {
  const about = { ...options, command: CommandLine.of(row.argv) }
  const exitCode = Rows.isLive(row) ? undefined : (row.exitCode ?? undefined)
  return until === undefined
    ? Asciicast.lines(child, { ...about, exitCode })
    : Asciicast.live(child, { ...about, until })
}
