/**
 * The tunnels of the hosts that have come to this router, and the connections that it has asked them for: each is made
 * by the host, and named by a secret word.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transport } from "../transport/Transport.ts"
import type { Dial } from "./FleetMessages.ts"

/** No connection to a host could be made. */
export class FleetError extends Data.TaggedError("FleetError")<{
  readonly message: string
}> {}

export interface Tunnel {
  readonly epoch: number
  /** Tells the host to make a connection. */
  readonly dial: (dial: Dial) => void
  /** Completes when the tunnel is lost. */
  readonly lost: Effect.Effect<unknown>
}

interface Awaited {
  readonly arrived: Deferred.Deferred<Transport>
  readonly over: Deferred.Deferred<void>
}

/** The deadline for a connection that a host is asked to make. */
const dialMillis = 5_000

export class Tunnels {
  private readonly hosts = new Map<string, Tunnel>()
  private readonly awaited = new Map<string, Awaited>()

  get size(): number {
    return this.hosts.size
  }

  of(hostId: string): Tunnel | undefined {
    return this.hosts.get(hostId)
  }

  /** A host has come; the tunnel of a later start stays. */
  add(hostId: string, tunnel: Tunnel): void {
    if ((this.hosts.get(hostId)?.epoch ?? 0) <= tunnel.epoch) this.hosts.set(hostId, tunnel)
  }

  remove(hostId: string, tunnel: Tunnel): void {
    if (this.hosts.get(hostId) === tunnel) this.hosts.delete(hostId)
  }

  /** A connection to a host, until the scope closes. */
  dial(hostId: string, dial: Dial): Effect.Effect<Transport, FleetError, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const tunnel = this.hosts.get(hostId)
      if (tunnel === undefined)
        return yield* new FleetError({ message: `${hostId} has no tunnel to this router` })
      const { connection } = dial
      const arrived = yield* Deferred.make<Transport>()
      const over = yield* Deferred.make<void>()
      const asked: Awaited = { arrived, over }
      yield* Effect.acquireRelease(
        Effect.sync(() => this.awaited.set(connection, asked)),
        () =>
          Effect.andThen(
            Effect.sync(() => this.awaited.delete(connection)),
            Deferred.succeed(asked.over, undefined),
          ),
      )
      tunnel.dial(dial)
      const lost = Effect.flatMap(
        tunnel.lost,
        () => new FleetError({ message: `the tunnel of ${hostId} was lost` }),
      )
      return yield* Effect.raceFirst(Deferred.await(asked.arrived), lost).pipe(
        Effect.timeoutOrElse({
          duration: dialMillis,
          orElse: () =>
            new FleetError({ message: `${hostId} has made no connection within ${dialMillis} ms` }),
        }),
      )
    })
  }

  /** A host has made the connection of that name; ends when it is not needed any more. */
  arrived(connection: string, transport: Transport): Effect.Effect<void> {
    const asked = this.awaited.get(connection)
    if (asked === undefined) return Effect.void
    this.awaited.delete(connection)
    return Effect.andThen(Deferred.succeed(asked.arrived, transport), Deferred.await(asked.over))
  }
}
