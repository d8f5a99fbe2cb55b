/** Metrics of a router, with a meter of its own. */
import * as Meter from "../protocol/Meter.ts"
import type { FleetView } from "./FleetView.ts"
import type { Tunnels } from "./Tunnels.ts"

export interface RouterMetrics {
  /** Counts a client until the function that is returned is called, however often. */
  readonly connected: () => () => void
  readonly started: () => void
  readonly resumed: () => void
  readonly refused: () => void
  readonly hopped: () => void
  readonly connections: () => number
  /** Every metric as of now. Names begin with `procwire_router_`. */
  readonly snapshot: () => ReadonlyArray<Meter.Sample>
}

export const make = (tunnels: Tunnels, view: FleetView): RouterMetrics => {
  const meter = Meter.make()
  const counter = (name: string, description: string) => {
    const sum = meter.counter(`procwire_router_${name}_total`, description)
    return () => void (sum.value += 1)
  }
  const gauge = (name: string, description: string, value: number): Meter.Sample => ({
    kind: "gauge",
    name: `procwire_router_${name}`,
    description,
    attributes: {},
    value,
  })
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
    snapshot: () => [
      ...meter.snapshot(),
      gauge("connections", "Clients that are connected.", connections),
      gauge("tunnels", "Hosts that have a tunnel to this router.", tunnels.size),
      gauge("hosts", "Hosts that the directory has told of.", view.hosts.size),
      gauge("sessions", "Sessions of the whole fleet that have not ended.", view.sessions.size),
    ],
  }
}
