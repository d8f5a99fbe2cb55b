/**
 * The place of another server, for one that takes over its processes: addresses that can be bound beside it are bound
 * while it serves, the rest when it has left.
 *
 * A unix socket is replaced at once, and a TCP socket is shared with the server before, so no connection is refused;
 * those that come before this server has the processes wait. Where the socket cannot be had from that server, its port
 * is free for a moment, in which connections are refused.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ListenerService } from "../../../core/transport/Listener.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import type * as SocketAddress from "../transport/SocketAddress.ts"
import * as ListenAddress from "./ListenAddress.ts"
import { type ServeError, misconfigured } from "./ServeError.ts"

/** The place of a server that has left. */
export interface Place {
  /** The listeners, in the order of the addresses. */
  readonly bound: Effect.Effect<ReadonlyArray<ListenerService>, ServeError, Scope.Scope>
  /** Fails if this server has fewer processes than the one before has left. */
  readonly judge: (processes: number) => Effect.Effect<void, ServeError>
  /** Tells the server before that this one has its place. */
  readonly done: Effect.Effect<void>
}

type Addresses = ReadonlyArray<ListenAddress.ListenAddress>

/** Has the server leave that uses the folder; undefined if none does. */
export const take = (
  addresses: Addresses,
  bind: (addresses: Addresses) => Effect.Effect<ReadonlyArray<ListenerService>, ServeError, Scope.Scope>,
  folder: string,
  openFfi: () => Ffi,
): Effect.Effect<Place | undefined, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const [{ predecessor }, SharedSockets] = yield* Effect.promise(() =>
      Promise.all([import("../keep/Handover.ts"), import("../keep/SharedSockets.ts")]),
    )
    const before = yield* Effect.mapError(predecessor(folder), ({ message }) => misconfigured(message))
    if (before === undefined) return undefined
    const { allows } = before
    const known = addresses.map((each, index) => ListenAddress.again(each, allows?.addresses[index]))
    const fds = allows === undefined ? [] : SharedSockets.copy(openFfi, allows.pid, known.map(literalOf))
    const first = known.map((each, index) => besides(each, fds[index]))
    const beside = yield* bind(first.flatMap((each) => each ?? []))
    const left = yield* Effect.mapError(before.leave, ({ message }) => misconfigured(message))
    const rest = addresses.flatMap((each, index) =>
      first[index] === undefined ? [ListenAddress.again(each, left.addresses[index])] : [],
    )
    return {
      bound: Effect.map(Effect.retry(bind(rest), freed), (others) => {
        const [one, other] = [beside.values(), others.values()]
        return first.flatMap((each) => (each === undefined ? other : one).next().value ?? [])
      }),
      judge: (processes) =>
        processes >= left.processes
          ? Effect.void
          : misconfigured(`took over ${processes} of ${left.processes} processes, and gave them back`),
      done: before.done,
    }
  })

/** The address for a server that listens there beside another one; undefined if it cannot. */
const besides = (
  address: ListenAddress.ListenAddress,
  fd: number | undefined,
): ListenAddress.ListenAddress | undefined => {
  if (address.kind === "unix") return address.fd === undefined ? { ...address, replaces: true } : undefined
  return address.kind === "stdio" || fd === undefined ? undefined : { ...address, fd }
}

/** The literal address of a TCP socket that is yet to be bound. */
const literalOf = (address: ListenAddress.ListenAddress): SocketAddress.HostAndPort | undefined =>
  (address.kind === "ws" || address.kind === "tcp") && address.fd === undefined ? address : undefined

/** The system may free a port a little later. */
const freed = { schedule: Schedule.spaced("20 millis"), times: 100 }
