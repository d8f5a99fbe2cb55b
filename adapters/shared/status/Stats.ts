/** The work of a server so far and now, in numbers. */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import type { Metrics, Sample } from "../../../core/process/Metrics.ts"

/** The numbers of one server. */
export interface Stats {
  /** The version of procwire. */
  readonly version: string
  /** The age of the server, in seconds. */
  readonly uptimeSeconds: number
  /** Open connections. */
  readonly connections: number
  /** Sessions, attached or waiting to be resumed. */
  readonly sessions: number
  /** Processes of all sessions. */
  readonly processes: {
    /** Those that have not ended. */
    readonly running: number
    /** All that were started so far. */
    readonly started: number
    /** All that have ended so far. */
    readonly exited: number
  }
}

/** The numbers as of each call, for a server that begins now and that `metrics` counts. */
export const make = (version: string, metrics: Metrics): Effect.Effect<() => Stats> =>
  Effect.map(Clock.Clock, (clock) => {
    const started = clock.currentTimeMillisUnsafe()
    return () => {
      const number = numbers(metrics.snapshot())
      return {
        version,
        uptimeSeconds: (clock.currentTimeMillisUnsafe() - started) / 1000,
        connections: number("procwire_connections"),
        sessions: number("procwire_sessions"),
        processes: {
          running: number("procwire_processes_running"),
          started: number("procwire_processes_started_total"),
          exited: number("procwire_processes_exited_total"),
        },
      }
    }
  })

/** The value of the counter or gauge of a name. */
const numbers = (samples: ReadonlyArray<Sample>) => (name: string) => {
  const value = samples.find((sample) => sample.name === name)?.value
  return typeof value === "number" ? value : 0
}
