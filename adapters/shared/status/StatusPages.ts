/**
 * What a server says about itself over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus.
 *
 * The numbers are those of this program: servers in one program count together.
 */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Metrics from "../../../core/process/Metrics.ts"
import type * as Handshake from "../transport/Handshake.ts"
import * as Prometheus from "./Prometheus.ts"

/** The pages of a server of this version that starts now. */
export const make = (version: string): Effect.Effect<Handshake.Pages> =>
  Effect.gen(function* () {
    yield* Metric.set(buildInfo(version), 1)
    const started = yield* Clock.currentTimeMillis
    const health = Effect.gen(function* () {
      const number = numbers(yield* Metrics.snapshot)
      return {
        status: "ok",
        version,
        uptimeSeconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
        connections: number("procwire_connections"),
        sessions: number("procwire_sessions"),
        processes: {
          running: number("procwire_processes_running"),
          started: number("procwire_processes_started_total"),
          exited: number("procwire_processes_exited_total"),
        },
      }
    })
    const page = (contentType: string, body: Effect.Effect<string>) => () => ({
      status: 200,
      body: Effect.runSync(body),
      headers: { "content-type": contentType, "cache-control": "no-store" },
    })
    return {
      "/healthz": page("application/json", Effect.map(health, JSON.stringify)),
      "/metrics": page(Prometheus.contentType, Effect.map(Metrics.snapshot, Prometheus.encode)),
    }
  })

const buildInfo = (version: string) =>
  Metric.gauge("procwire_build_info", { description: "Always 1; the labels say what is running." }).pipe(
    Metric.tagged("version", version),
    Metric.tagged("runtime", runtime()),
  )

const runtime = (): string => {
  for (const name of ["bun", "deno"]) {
    const version = process.versions[name]
    if (version !== undefined) return `${name} ${version}`
  }
  return `node ${process.versions.node}`
}

/** The value of the counter or gauge of a name. */
const numbers = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>) => (name: string) => {
  const state: unknown = pairs.find(({ metricKey }) => metricKey.name === name)?.metricState
  if (MetricState.isCounterState(state)) return Number(state.count)
  return MetricState.isGaugeState(state) ? Number(state.value) : 0
}
