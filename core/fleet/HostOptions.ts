/** Options of a host of a fleet: its announcement, and the way to its routers. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transport, TransportError } from "../transport/Transport.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError, Scope.Scope>

/** A router, as a host reaches it. */
export interface Door {
  /** For logs. */
  readonly name: string
  /** Opens the tunnel. */
  readonly tunnel: Open
  /** Makes a connection that the router has asked for by this name. */
  readonly dial: (connection: string) => Open
}

/** The announcement of a host. */
export interface Options {
  /** Its name, the same after a restart. */
  readonly hostId: string
  /** A number above that of all its starts before, which is kept; it is at least `above` and one. */
  readonly nextEpoch: (above: number) => Effect.Effect<number>
  /** Labels that a claim can ask for. */
  readonly labels: Readonly<Record<string, string>>
  /** The number of sessions that it takes. */
  readonly capacity: number
  /** The routers. */
  readonly doors: ReadonlyArray<Door>
}
