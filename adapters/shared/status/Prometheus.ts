/** Effect's metrics as text for Prometheus, in its exposition format 0.0.4. */
import * as MetricKeyType from "effect/MetricKeyType"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

/** The value of the header `content-type`. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** Counters, gauges and histograms of a snapshot, sorted by name; other kinds of metrics are left out. */
export const encode = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const families = new Map<string, { readonly head: string; readonly samples: Array<string> }>()
  for (const { metricKey, metricState } of pairs) {
    const { name, description, keyType, tags } = metricKey
    const type = typeOf(keyType)
    if (type === undefined) continue
    const help = Option.match(description, {
      onNone: () => "",
      onSome: (text) => `# HELP ${name} ${escapeHelp(text)}\n`,
    })
    const family = families.get(name) ?? { head: `${help}# TYPE ${name} ${type}\n`, samples: [] }
    families.set(name, family)
    const labels = tags.map(({ key, value }) => [key, value] as const)
    family.samples.push(...samplesOf(name, labels, metricState))
  }
  return [...families]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { head, samples }]) => head + samples.join(""))
    .join("")
}

const typeOf = (keyType: unknown): string | undefined => {
  if (MetricKeyType.isCounterKey(keyType)) return "counter"
  if (MetricKeyType.isGaugeKey(keyType)) return "gauge"
  return MetricKeyType.isHistogramKey(keyType) ? "histogram" : undefined
}

const samplesOf = (name: string, labels: Labels, state: unknown): ReadonlyArray<string> => {
  if (MetricState.isCounterState(state)) return [sample(name, labels, state.count)]
  if (MetricState.isGaugeState(state)) return [sample(name, labels, state.value)]
  if (!MetricState.isHistogramState(state)) return []
  // Effect's last bucket leaves out values above all bounds; only `count` includes them.
  const bounded = state.buckets.filter(([bound]) => bound !== Infinity)
  return [
    ...bounded.map(([bound, count]) => sample(`${name}_bucket`, [...labels, ["le", String(bound)]], count)),
    sample(`${name}_bucket`, [...labels, ["le", "+Inf"]], state.count),
    sample(`${name}_sum`, labels, state.sum),
    sample(`${name}_count`, labels, state.count),
  ]
}

const sample = (name: string, labels: Labels, value: number | bigint): string => {
  const list = labels.map(([key, text]) => `${key}="${escapeLabel(text)}"`).join(",")
  return `${name}${list === "" ? "" : `{${list}}`} ${value}\n`
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')
