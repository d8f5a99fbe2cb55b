/** The work of a server so far and now, in numbers. */
import * as Effect from "effect/Effect"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import type { Metrics } from "../../../core/process/Metrics.ts"

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
  Effect.map(Effect.clock, (clock) => {
    const started = clock.unsafeCurrentTimeMillis()
    return () => {
      const number = numbers(metrics.snapshot())
      return {
        version,
        uptimeSeconds: (clock.unsafeCurrentTimeMillis() - started) / 1000,
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
const numbers = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>) => (name: string) => {
  const state: unknown = pairs.find(({ metricKey }) => metricKey.name === name)?.metricState
  if (MetricState.isCounterState(state)) return Number(state.count)
  return MetricState.isGaugeState(state) ? Number(state.value) : 0
}
