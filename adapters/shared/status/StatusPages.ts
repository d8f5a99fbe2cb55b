/** The status of a server over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import type { Metrics } from "../../../core/process/Metrics.ts"
import type * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as Prometheus from "./Prometheus.ts"

/** The pages of a server of this version, which `metrics` counts; its uptime begins now. */
export const make = (version: string, metrics: Metrics): Effect.Effect<UpgradeAdmission.Pages> =>
  Effect.gen(function* () {
    const build = buildInfo(version)
    const started = yield* Clock.currentTimeMillis
    const health = Effect.gen(function* () {
      const number = numbers(metrics.snapshot())
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
      "/metrics": page(
        Prometheus.contentType,
        Effect.sync(() => Prometheus.encode([...metrics.snapshot(), build])),
      ),
    }
  })

const buildInfo = (version: string) =>
  MetricPair.unsafeMake(
    MetricKey.gauge("procwire_build_info", { description: "Always 1; the labels say what is running." }).pipe(
      MetricKey.taggedWithLabels([
        MetricLabel.make("version", version),
        MetricLabel.make("runtime", runtime()),
      ]),
    ),
    MetricState.gauge(1),
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
