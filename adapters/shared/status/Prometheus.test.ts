import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import { describe, expect, it } from "vitest"
import * as Prometheus from "./Prometheus.ts"

const text = (name: string) =>
  Prometheus.encode(Metric.unsafeSnapshot().filter(({ metricKey }) => metricKey.name === name))

describe("Prometheus", () => {
  it("writes counters and gauges, with a family's samples together", async () => {
    const jobs = Metric.counter("jobs_total", { description: "Jobs." })
    await Effect.runPromise(Metric.incrementBy(Metric.tagged(jobs, "kind", "a"), 2))
    await Effect.runPromise(Metric.increment(jobs))
    const [help, type, ...samples] = text("jobs_total").split("\n")
    expect([help, type]).toEqual(["# HELP jobs_total Jobs.", "# TYPE jobs_total counter"])
    expect(samples.sort()).toEqual(["", "jobs_total 1", 'jobs_total{kind="a"} 2'])
    await Effect.runPromise(Metric.set(Metric.gauge("depth"), -1.5))
    expect(text("depth")).toBe("# TYPE depth gauge\ndepth -1.5\n")
  })

  it("writes histograms with cumulative buckets, of which the last counts everything", async () => {
    const latency = Metric.histogram("latency_seconds", MetricBoundaries.fromIterable([0.1, 0.5, 1]))
    await Effect.runPromise(Effect.forEach([0.05, 0.1, 0.3, 7], (value) => Metric.update(latency, value)))
    expect(text("latency_seconds").split("\n")).toEqual([
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

  it("escapes what stands in labels and descriptions", async () => {
    const odd = Metric.gauge("odd", { description: "a\\b\nc" }).pipe(Metric.tagged("path", 'a\\b\n"c"'))
    await Effect.runPromise(Metric.set(odd, 1))
    expect(text("odd")).toBe('# HELP odd a\\\\b\\nc\n# TYPE odd gauge\nodd{path="a\\\\b\\n\\"c\\""} 1\n')
  })
})
