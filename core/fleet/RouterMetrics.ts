/** Metrics of a router, as Effect metrics in a registry of its own. */
import * as MetricKey from "effect/MetricKey"
import type * as MetricPair from "effect/MetricPair"
import * as MetricRegistry from "effect/MetricRegistry"
import type { FleetView } from "./FleetView.ts"
import type { Tunnels } from "./Tunnels.ts"

/** The counters of one router. */
export interface RouterMetrics {
  /** Counts a client until the function that is returned is called, however often. */
  readonly connected: () => () => void
  readonly started: () => void
  readonly resumed: () => void
  readonly refused: () => void
  readonly hopped: () => void
  /** Clients that are connected now. */
  readonly connections: () => number
  /** Every metric as of now. Names begin with `procwire_router_`. */
  readonly snapshot: () => ReadonlyArray<MetricPair.MetricPair.Untyped>
}

/** Metrics of a new router. */
export const make = (tunnels: Tunnels, view: FleetView): RouterMetrics => {
  const registry = MetricRegistry.make()
  const counter = (name: string, description: string) => {
    const key = MetricKey.counter(`procwire_router_${name}_total`, {
      description,
      incremental: true,
      bigint: false,
    })
    const hook = registry.getCounter(key)
    return () => hook.update(1)
  }
  const gauge = (name: string, description: string) =>
    registry.getGauge(MetricKey.gauge(`procwire_router_${name}`, { description, bigint: false }))
  const opened = gauge("connections", "Clients that are connected.")
  const hosts = gauge("tunnels", "Hosts that have a tunnel to this router.")
  const known = gauge("hosts", "Hosts that the directory has told of.")
  const sessions = gauge("sessions", "Sessions of the whole fleet that have not ended.")
  let connections = 0
  return {
    connected: () => {
      let left = 1
      connections += left
      return () => {
        connections -= left
        left = 0
      }
    },
    started: counter("starts", "Sessions for which a host was found."),
    resumed: counter("resumes", "Clients that were brought back to their session."),
    refused: counter("refusals", "Clients that got no session."),
    hopped: counter("hops", "Connections over another router."),
    connections: () => connections,
    snapshot: () => {
      opened.update(connections)
      hosts.update(tunnels.size)
      known.update(view.hosts.size)
      sessions.update(view.sessions.size)
      return registry.snapshot()
    },
  }
}
