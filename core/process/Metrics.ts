/**
 * What happens to the processes of one server, counted as Effect metrics in a registry of their own: two servers in one
 * program count apart.
 *
 * On the byte path a counter is a plain function that adds to a number.
 */
import * as Effect from "effect/Effect"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type * as MetricHook from "effect/MetricHook"
import * as MetricKey from "effect/MetricKey"
import type * as MetricPair from "effect/MetricPair"
import * as MetricRegistry from "effect/MetricRegistry"
import * as Scope from "effect/Scope"

/** The counters of one server. They are updated by the core; a program reads them with `snapshot`. */
export interface Metrics {
  /** Bytes of output that processes have written. */
  readonly outputBytes: MetricHook.MetricHook.Counter<number>
  /** Bytes of output that were dropped because a ring was full. */
  readonly evictedBytes: MetricHook.MetricHook.Counter<number>
  /** Times that a process was paused because a reader lagged. */
  readonly stalls: MetricHook.MetricHook.Counter<number>
  /** Events that are missing from the audit log because it could not be written. */
  readonly auditLost: MetricHook.MetricHook.Counter<number>
  /** Processes that outlived the end of the process that they descend from, although they should have been killed. */
  readonly escaped: MetricHook.MetricHook.Counter<number>
  /** Times a start in seconds, and counts it if it fails. */
  readonly spawning: <A, E, R>(spawn: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Counts a process as running until the effect ends. */
  readonly whileRunning: <A, E, R>(ended: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Counts a session until its scope closes. */
  readonly inSession: (scope: Scope.Scope) => Effect.Effect<void>
  /** Counts a connection until the effect ends. */
  readonly whileConnected: <A, E, R>(serve: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Every metric as of now. Names begin with `procwire_`. */
  readonly snapshot: () => ReadonlyArray<MetricPair.MetricPair.Untyped>
}

/** Bounds of the histogram of start times, in seconds. */
const spawnSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Metrics of a new server: everything is 0. */
export const make = (): Metrics => {
  const registry = MetricRegistry.make()
  const counter = (name: string, description: string) =>
    registry.getCounter(
      MetricKey.counter(`procwire_${name}_total`, { description, incremental: true, bigint: false }),
    )
  const gauge = (name: string, description: string) =>
    registry.getGauge(MetricKey.gauge(`procwire_${name}`, { description, bigint: false }))

  const started = counter("processes_started", "Processes that were started.")
  const exited = counter("processes_exited", "Processes that have ended, by themselves or killed.")
  const running = gauge("processes_running", "Processes that have started and not ended.")
  const failures = counter("spawn_failures", "Starts that failed.")
  const latency = registry.getHistogram(
    MetricKey.histogram(
      "procwire_spawn_seconds",
      MetricBoundaries.fromIterable(spawnSeconds),
      "How long starts took that succeeded.",
    ),
  )
  const opened = counter("connections_opened", "Connections that were accepted.")
  const connected = gauge("connections", "Open connections.")
  const sessions = gauge("sessions", "Sessions, attached or detached.")

  return {
    outputBytes: counter("output_bytes", "Bytes of output that processes have written."),
    evictedBytes: counter("evicted_bytes", "Bytes of output that were dropped because a ring was full."),
    stalls: counter("reader_stalls", "Times that a process was paused because a reader lagged."),
    auditLost: counter("audit_events_lost", "Events that are missing from the audit log."),
    escaped: counter("processes_escaped", "Descendants that survived the end of their process."),
    spawning: (spawn) =>
      Effect.clockWith((clock) => {
        const began = clock.unsafeCurrentTimeNanos()
        return Effect.mapBoth(spawn, {
          onSuccess: (value) => {
            latency.update(Number(clock.unsafeCurrentTimeNanos() - began) / 1e9)
            return value
          },
          onFailure: (error) => {
            failures.update(1)
            return error
          },
        })
      }),
    whileRunning: (ended) => during(ended, running, started, exited),
    inSession: (scope) =>
      Effect.suspend(() => {
        sessions.modify(1)
        return Scope.addFinalizer(
          scope,
          Effect.sync(() => sessions.modify(-1)),
        )
      }).pipe(Effect.uninterruptible),
    whileConnected: (serve) => during(serve, connected, opened),
    snapshot: () => registry.snapshot(),
  }
}

/** Counts one more in a gauge while an effect runs, and its begin and end in counters. */
const during = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  gauge: MetricHook.MetricHook.Gauge<number>,
  begun: MetricHook.MetricHook.Counter<number>,
  ended?: MetricHook.MetricHook.Counter<number>,
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      begun.update(1)
      gauge.modify(1)
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        ended?.update(1)
        gauge.modify(-1)
      }),
  )
