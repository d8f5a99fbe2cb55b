/** Recordings of processes: their format, their lines, and when those are played. */
import * as Effect from "effect/Effect"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Suggestion from "../../../core/protocol/Suggestion.ts"
import * as Flags from "./Flags.ts"
import * as Rows from "./show/Rows.ts"

const versions = ["v2", "v3"] as const

export type Version = Asciicast.Header["version"]

export const formatHelp = "the version of asciicast; v3 has the exit code [default: v2]"

/** `--format` of recordings. */
export const format = (help: string) =>
  ({
    ...Flags.text("v2|v3", help, { completes: versions }),
    read: (text: string): Effect.Effect<Version, Flags.UsageError> => {
      if (text === "v2") return Effect.succeed(2)
      if (text === "v3") return Effect.succeed(3)
      const near = Suggestion.ofWord(text, versions)
      return Flags.wrong(`invalid value '${text}' for '--format': expected v2 or v3${near}`)
    },
  }) as const

export interface Options {
  readonly version: Version
  readonly title?: string | undefined
  /** In seconds. */
  readonly idleTimeLimit?: number | undefined
  /** Goes on until this completes, or the process has closed; undefined for the output until now. */
  readonly until: Effect.Effect<unknown> | undefined
}

export const linesOf = (child: RemoteProcess, row: ListedProcess, { until, ...options }: Options) => {
  const about = { ...options, command: CommandLine.of(row.argv) }
  const exitCode = Rows.isLive(row) ? undefined : (row.exitCode ?? undefined)
  return until === undefined
    ? Asciicast.lines(child, { ...about, exitCode })
    : Asciicast.live(child, { ...about, until })
}

export interface Pace {
  /** So many times as fast. */
  readonly speed: number
  /** Longer silence is played as so many milliseconds of the recording. */
  readonly idleMillis: number
}

/** A piece of output, so many milliseconds after the begin. */
export interface Step {
  readonly at: number
  readonly text: string
}

/** The output of a recording, in its order. The time between any two events counts, whatever these are. */
export const steps = (
  events: ReadonlyArray<Asciicast.Event>,
  { idleMillis, speed }: Pace,
): ReadonlyArray<Step> => {
  const found: Array<Step> = []
  let [before, at] = [0, 0]
  for (const event of events) {
    at += Math.min(Math.max(0, event.at - before), idleMillis) / speed
    before = event.at
    if (event.kind === "output") found.push({ at, text: event.text })
  }
  return found
}
