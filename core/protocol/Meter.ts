/** Counters, gauges and histograms as plain numbers, which are read all at once. */

/** One metric as of now. */
export type Sample = {
  /** As Prometheus writes it: `procwire_connections`. */
  readonly name: string
  /** For people; empty if there is nothing to say. */
  readonly description: string
  /** The labels of this series among others of its name. */
  readonly attributes: Readonly<Record<string, string>>
} & (
  | { readonly kind: "counter" | "gauge"; readonly value: number }
  | { readonly kind: "histogram"; readonly value: Distribution }
)

/** The spread of values. */
export interface Distribution {
  /** The number of values up to each bound, with bounds that grow. */
  readonly buckets: ReadonlyArray<readonly [bound: number, count: number]>
  /** The number of values, with those above all bounds. */
  readonly count: number
  /** Their sum. */
  readonly sum: number
}

/** A number that others add to: a field, for the byte path. */
export interface Sum {
  /** The sum so far; that of a gauge may also shrink. */
  value: number
}

/** A set of metrics. */
export interface Meter {
  /** A number that only grows. */
  readonly counter: (name: string, description: string) => Sum
  /** A number that grows and shrinks. */
  readonly gauge: (name: string, description: string) => Sum
  /** A distribution of the values that it is updated with. */
  readonly histogram: (
    name: string,
    description: string,
    bounds: ReadonlyArray<number>,
  ) => { readonly update: (value: number) => void }
  /** Every metric as of now. */
  readonly snapshot: () => ReadonlyArray<Sample>
}

/** A set of metrics, without any. */
export const make = (): Meter => {
  const samples: Array<() => Sample> = []
  const sum = (kind: "counter" | "gauge") => (name: string, description: string) => {
    const all: Sum = { value: 0 }
    samples.push(() => ({ kind, name, description, attributes: {}, value: all.value }))
    return all
  }
  return {
    counter: sum("counter"),
    gauge: sum("gauge"),
    histogram: (name, description, bounds) => {
      const within = bounds.map(() => 0)
      let [count, total] = [0, 0]
      samples.push(() => {
        let below = 0
        const buckets = bounds.map((bound, at) => [bound, (below += within[at] ?? 0)] as const)
        return { kind: "histogram", name, description, attributes: {}, value: { buckets, count, sum: total } }
      })
      return {
        update: (value) => {
          count += 1
          total += value
          const at = bounds.findIndex((bound) => value <= bound)
          if (at !== -1) within[at] = (within[at] ?? 0) + 1
        },
      }
    },
    snapshot: () => samples.map((sample) => sample()),
  }
}
