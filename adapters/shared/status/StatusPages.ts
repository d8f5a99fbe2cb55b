/** The status of a server over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus. */
import process from "node:process"
import type { Metrics, Sample } from "../../../core/process/Metrics.ts"
import type * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as Prometheus from "./Prometheus.ts"
import type * as Stats from "./Stats.ts"

/** A reply that no cache keeps. */
export const reply = (contentType: string, body: string): UpgradeAdmission.Reply => ({
  status: 200,
  body,
  headers: { "content-type": contentType, "cache-control": "no-store" },
})

export const make = (version: string, metrics: Metrics, stats: () => Stats.Stats): UpgradeAdmission.Pages => {
  const build = buildInfo(version)
  return {
    "/healthz": () => reply("application/json", JSON.stringify({ status: "ok", ...stats() })),
    "/metrics": () => reply(Prometheus.contentType, Prometheus.encode([...metrics.snapshot(), build])),
  }
}

const buildInfo = (version: string): Sample => ({
  kind: "gauge",
  name: "procwire_build_info",
  description: "Always 1; the labels say what is running.",
  attributes: { version, runtime: runtime() },
  value: 1,
})

const runtime = (): string => {
  for (const name of ["bun", "deno"]) {
    const version = process.versions[name]
    if (version !== undefined) return `${name} ${version}`
  }
  return `node ${process.versions.node}`
}
