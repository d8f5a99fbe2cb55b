import { describe, expect, it } from "vitest"
import * as Meter from "../../../core/protocol/Meter.ts"
import * as StatusPages from "./StatusPages.ts"

describe("metrics for Prometheus", () => {
  it("writes counters and gauges, with a family's samples together", () => {
    const jobs = { kind: "counter", name: "jobs_total", description: "Jobs." } as const
    const depth = { kind: "gauge", name: "depth", description: "", attributes: {}, value: -1.5 } as const
    const samples = [
      { ...jobs, attributes: { kind: "a" }, value: 2 },
      depth,
      { ...jobs, attributes: {}, value: 1 },
    ]
    expect(StatusPages.encode(samples).split("\n")).toEqual([
      "# TYPE depth gauge",
      "depth -1.5",
      "# HELP jobs_total Jobs.",
      "# TYPE jobs_total counter",
      'jobs_total{kind="a"} 2',
      "jobs_total 1",
      "",
    ])
  })

  it("writes histograms with cumulative buckets, of which the last counts everything", () => {
    const meter = Meter.make()
    const latency = meter.histogram("latency_seconds", "", [0.1, 0.5, 1])
    for (const value of [0.05, 0.1, 0.3, 7]) latency.update(value)
    expect(StatusPages.encode(meter.snapshot()).split("\n")).toEqual([
      "# TYPE latency_seconds histogram",
      'latency_seconds_bucket{le="0.1"} 2',
      'latency_seconds_bucket{le="0.5"} 3',
      'latency_seconds_bucket{le="1"} 3',
      'latency_seconds_bucket{le="+Inf"} 4',
      "latency_seconds_sum 7.45",
      "latency_seconds_count 4",
      "",
    ])
  })

  it("escapes what stands in labels and descriptions", () => {
    const odd = { kind: "gauge", name: "odd", description: "a\\b\nc", value: 1 } as const
    expect(StatusPages.encode([{ ...odd, attributes: { path: 'a\\b\n"c"' } }])).toBe(
      '# HELP odd a\\\\b\\nc\n# TYPE odd gauge\nodd{path="a\\\\b\\n\\"c\\""} 1\n',
    )
  })
})
