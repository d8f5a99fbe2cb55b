/**
 * What happens to processes, counted as Effect metrics of this program: any exporter of Effect's can read them.
 *
 * On the byte path nothing but a number is added to `totals`; `snapshot` moves it into the metrics when somebody asks.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type * as MetricPair from "effect/MetricPair"
import type * as Scope from "effect/Scope"

/** What is counted with each chunk. Stalls: how often a child was paused because a reader lagged. */
export const totals = { outputBytes: 0, evictedBytes: 0, stalls: 0 }

const counter = (name: string, description: string) =>
  Metric.counter(`procwire_${name}_total`, { description, incremental: true }).register()

const gauge = (name: string, description: string) =>
  Metric.gauge(`procwire_${name}`, { description }).register()

const started = counter("processes_started", "Processes that were started.")
const exited = counter("processes_exited", "Processes that have ended, by themselves or killed.")
const running = gauge("processes_running", "Processes that have started and not ended.")
const failures = counter("spawn_failures", "Starts that failed.")
const latency = Metric.histogram(
  "procwire_spawn_seconds",
  MetricBoundaries.fromIterable([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]),
  "How long starts took that succeeded.",
).register()
const connections = counter("connections_opened", "Connections that were accepted.")
const connected = gauge("connections", "Open connections.")
const sessions = gauge("sessions", "Sessions, attached or detached.")

const flushed = {
  outputBytes: counter("output_bytes", "Bytes of output that processes have written."),
  evictedBytes: counter("evicted_bytes", "Bytes of output that were dropped because a ring was full."),
  stalls: counter("reader_stalls", "Times that a process was paused because a reader lagged."),
}

/** The metrics of procwire, as of now; what else this program counts is not among them. */
export const snapshot: Effect.Effect<ReadonlyArray<MetricPair.MetricPair.Untyped>> = Effect.gen(function* () {
  for (const name of ["outputBytes", "evictedBytes", "stalls"] as const) {
    const count = totals[name]
    totals[name] = 0
    yield* Metric.incrementBy(flushed[name], count)
  }
  return (yield* Metric.snapshot).filter(({ metricKey }) => metricKey.name.startsWith("procwire_"))
})

/** Times a start, and counts it if it fails. */
export const spawning = <A, E, R>(spawn: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  spawn.pipe(
    Metric.trackDurationWith(latency, Duration.toSeconds),
    Effect.tapError(() => Metric.increment(failures)),
  )

/** Counts a process as running until the effect ends. */
export const whileRunning = <A, E, R>(ended: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.zipRight(Metric.increment(started), Metric.incrementBy(running, 1)),
    () => ended,
    () => Effect.zipRight(Metric.increment(exited), Metric.incrementBy(running, -1)),
  )

/** Counts a session until the scope closes. */
export const inSession: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Metric.incrementBy(sessions, 1),
  () => Metric.incrementBy(sessions, -1),
)

/** Counts a connection until the effect ends. */
export const whileConnected = <A, E, R>(serve: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.zipRight(Metric.increment(connections), Metric.incrementBy(connected, 1)),
    () => serve,
    () => Metric.incrementBy(connected, -1),
  )
