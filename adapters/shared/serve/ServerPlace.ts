/**
 * The place of another server, for one that takes over its processes: addresses that can be bound beside it are bound
 * while it serves, the rest when it has left.
 *
 * A unix socket is replaced at once, so no connection is refused; those that come before this server has the processes
 * wait. The port of a TCP socket is free for a moment, in which connections are refused.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ListenerService } from "../../../core/transport/Listener.ts"
import type { ListenAddress } from "./ListenAddress.ts"
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

type Addresses = ReadonlyArray<ListenAddress>

/** Has the server leave that uses the folder; undefined if none does. */
export const take = (
  addresses: Addresses,
  bind: (addresses: Addresses) => Effect.Effect<ReadonlyArray<ListenerService>, ServeError, Scope.Scope>,
  folder: string,
): Effect.Effect<Place | undefined, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const { predecessor } = yield* Effect.promise(() => import("../keep/Handover.ts"))
    const before = yield* Effect.mapError(predecessor(folder), ({ message }) => misconfigured(message))
    if (before === undefined) return undefined
    const beside = yield* bind(
      addresses.flatMap((each) => (isReplaced(each) ? [{ ...each, replaces: true }] : [])),
    )
    const left = yield* Effect.mapError(before.leave, ({ message }) => misconfigured(message))
    const rest = addresses.flatMap((each, index) =>
      isReplaced(each) ? [] : [again(each, left.addresses[index])],
    )
    return {
      bound: Effect.map(Effect.retry(bind(rest), freed), (others) => {
        const [one, other] = [beside.values(), others.values()]
        return addresses.flatMap((each) => (isReplaced(each) ? one : other).next().value ?? [])
      }),
      judge: (processes) =>
        processes >= left.processes
          ? Effect.void
          : misconfigured(`took over ${processes} of ${left.processes} processes, and gave them back`),
      done: before.done,
    }
  })

/** True for an address that two servers can listen at, one after the other. */
const isReplaced = (address: ListenAddress) => address.kind === "unix" && address.fd === undefined

/** The address with the port that the server before had, in place of any free one. */
const again = (address: ListenAddress, before = ""): ListenAddress => {
  if (!("port" in address) || address.port !== 0) return address
  return { ...address, port: Number(/^(?:ws|tcp|wss|tls):.*:(\d+)$/.exec(before)?.[1] ?? 0) }
}

/** The system may free a port a little later. */
const freed = { schedule: Schedule.spaced("20 millis"), times: 100 }
