/** Metrics as text for Prometheus, in its exposition format 0.0.4. */
import type * as Metrics from "../../../core/process/Metrics.ts"

/** The value of the header `content-type`. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** A snapshot of metrics, sorted by name. */
export const encode = (samples: ReadonlyArray<Metrics.Sample>): string => {
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

const linesOf = ({ name, attributes, value }: Metrics.Sample): ReadonlyArray<string> => {
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
