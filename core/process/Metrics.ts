/**
 * Counts of the processes of one server, by a meter of its own: two servers in one program count apart.
 *
 * On the byte path a counter is a number in a field.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Meter from "../protocol/Meter.ts"

export type { Distribution, Sample, Sum } from "../protocol/Meter.ts"

/** The counters of one server. They are updated by the core; a program reads them with `snapshot`. */
export interface Metrics {
  /** Bytes of output that processes have written. */
  readonly outputBytes: Meter.Sum
  /** Bytes of output that were dropped because a ring was full. */
  readonly evictedBytes: Meter.Sum
  /** Times that a process was paused because a reader lagged. */
  readonly stalls: Meter.Sum
  /** Events that are missing from the audit log because it could not be written. */
  readonly auditLost: Meter.Sum
  /** Processes that outlived the end of the process that they descend from, although they should have been killed. */
  readonly escaped: Meter.Sum
  /** Connections that rules have allowed to processes. */
  readonly egressAllowed: Meter.Sum
  /** Connections that rules have denied to processes. */
  readonly egressDenied: Meter.Sum
  /** Times a start in seconds, and counts it if it fails. */
  readonly spawning: <A, E, R>(spawn: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Counts a process as running until the effect ends. */
  readonly whileRunning: <A, E, R>(ended: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Counts a session until its scope closes. */
  readonly inSession: (scope: Scope.Scope) => Effect.Effect<void>
  /** Counts a connection until the effect ends. */
  readonly whileConnected: <A, E, R>(serve: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Every metric as of now. Names begin with `procwire_`. */
  readonly snapshot: () => ReadonlyArray<Meter.Sample>
}

/** Bounds of the histogram of start times, in seconds. */
const spawnSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Metrics of a new server: everything is 0. */
export const make = (): Metrics => {
  const meter = Meter.make()
  const counter = (name: string, description: string) => meter.counter(`procwire_${name}_total`, description)
  const gauge = (name: string, description: string) => meter.gauge(`procwire_${name}`, description)

  const started = counter("processes_started", "Processes that were started.")
  const exited = counter("processes_exited", "Processes that have ended, by themselves or killed.")
  const running = gauge("processes_running", "Processes that have started and not ended.")
  const failures = counter("spawn_failures", "Starts that failed.")
  const latency = meter.histogram(
    "procwire_spawn_seconds",
    "How long starts took that succeeded.",
    spawnSeconds,
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
    egressAllowed: counter("egress_allowed", "Connections that egress rules have allowed to processes."),
    egressDenied: counter("egress_denied", "Connections that egress rules have denied to processes."),
    spawning: (spawn) =>
      Effect.clockWith((clock) => {
        const began = clock.monotonicTimeNanosUnsafe()
        return Effect.mapBoth(spawn, {
          onSuccess: (value) => {
            latency.update(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
            return value
          },
          onFailure: (error) => {
            failures.value += 1
            return error
          },
        })
      }),
    whileRunning: (ended) => during(ended, running, started, exited),
    inSession: (scope) =>
      Effect.suspend(() => {
        sessions.value += 1
        return Scope.addFinalizer(
          scope,
          Effect.sync(() => (sessions.value -= 1)),
        )
      }).pipe(Effect.uninterruptible),
    whileConnected: (serve) => during(serve, connected, opened),
    snapshot: meter.snapshot,
  }
}

/** Counts one more in a gauge while an effect runs, and its begin and end in counters. */
const during = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  gauge: Meter.Sum,
  begun: Meter.Sum,
  ended?: Meter.Sum,
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      begun.value += 1
      gauge.value += 1
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        if (ended !== undefined) ended.value += 1
        gauge.value -= 1
      }),
  )
