/** The status of a server over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus. */
import process from "node:process"
import type { Metrics, Sample } from "../../../core/process/Metrics.ts"
import type * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
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
    "/metrics": () => reply(metricsType, encode([...metrics.snapshot(), build])),
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

/** The value of the header `content-type` of metrics, in the exposition format 0.0.4 of Prometheus. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** A snapshot of metrics as text for Prometheus, sorted by name. */
export const encode = (samples: ReadonlyArray<Sample>): string => {
  const families = new Map<string, { readonly head: string; readonly lines: Array<string> }>()
  for (const one of samples) {
    const { name, description, kind } = one
    const help = description === "" ? "" : `# HELP ${name} ${escapeHelp(description)}\n`
    const family = families.get(name) ?? { head: `${help}# TYPE ${name} ${kind}\n`, lines: [] }
    families.set(name, family)
    family.lines.push(...linesOf(one))
  }
  return [...families]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { head, lines }]) => head + lines.join(""))
    .join("")
}

const linesOf = ({ name, attributes, value }: Sample): ReadonlyArray<string> => {
  const labels = Object.entries(attributes)
  if (typeof value === "number") return [line(name, labels, value)]
  const bucket = (bound: string, count: number) => line(`${name}_bucket`, [...labels, ["le", bound]], count)
  return [
    ...value.buckets.map(([bound, count]) => bucket(String(bound), count)),
    bucket("+Inf", value.count),
    line(`${name}_sum`, labels, value.sum),
    line(`${name}_count`, labels, value.count),
  ]
}

const line = (name: string, labels: Labels, value: number): string => {
  const list = labels.map(([key, text]) => `${key}="${escapeLabel(text)}"`).join(",")
  return `${name}${list === "" ? "" : `{${list}}`} ${value}\n`
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')
