/**
 * A listener on the loopback of the host, each connection to which becomes one to a socket of a child.
 *
 * Bytes wait in the kernel, and in 64 KiB for each direction here, until the other side takes them. Each direction ends
 * alone, and a side that breaks off resets the other.
 */
import * as net from "node:net"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { Listens, Port } from "../../../core/spawn/ProcessEvidence.ts"
import { type Forward, PortError } from "../../../core/spawn/ProcessPorts.ts"
import * as Sockets from "../transport/Sockets.ts"
import * as Splice from "../transport/Splice.ts"

/** A way to a socket that listens. */
export interface Route {
  /** A connection to it. */
  readonly connect: Effect.Effect<net.Socket, PortError>
}

/** Opens a way, until the scope ends. */
export type OpenRoute = (listens: Listens) => Effect.Effect<Route, PortError, Scope.Scope>

export interface Options {
  /** The time without a connection after which it counts as idle. */
  readonly idleMillis?: number
  /** The most connections at once; more are reset. */
  readonly mostConnections?: number
}

const host = "127.0.0.1"

/** Opens a listener until the scope ends, and then ends its connections. */
export const open = (
  look: Effect.Effect<Port>,
  openRoute: OpenRoute,
  { idleMillis = 900_000, mostConnections = 256 }: Options = {},
): Effect.Effect<Forward, PortError, Scope.Scope> =>
  Effect.gen(function* () {
    const routing = yield* Routing.make(look, openRoute)
    yield* routing.renew
    const idle = Deferred.makeUnsafe<void>()
    const rest = () => setTimeout(() => Deferred.doneUnsafe(idle, Effect.void), idleMillis).unref()
    let [connections, timer] = [0, rest()]
    yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))
    const track = yield* Sockets.track
    const clients = yield* Queue.unbounded<net.Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => net.createServer({ allowHalfOpen: true, noDelay: true })),
      (each) => Effect.sync(() => each.close()),
    )
    server.on("connection", (client) => {
      track(client)
      if (connections >= mostConnections) return Splice.reset(client)
      clearTimeout(timer)
      connections += 1
      client.on("close", () => {
        connections -= 1
        if (connections === 0) timer = rest()
      })
      Queue.offerUnsafe(clients, client)
    })
    const serve = (client: net.Socket) =>
      routing.connect.pipe(
        Effect.map((upstream) => {
          track(upstream)
          join(client, upstream)
        }),
        Effect.catch(() => Effect.sync(() => Splice.reset(client))),
      )
    yield* Queue.take(clients).pipe(
      Effect.flatMap((client) => Effect.forkChild(serve(client))),
      Effect.forever,
      Effect.forkScoped,
    )
    yield* Effect.mapError(
      Sockets.listen(server, { host, port: 0 }, ({ message }) => message),
      ({ message }) => new PortError({ message }),
    )
    const { port } = server.address() as net.AddressInfo
    return { host, port, idle: Deferred.await(idle) }
  })

/** Carries bytes both ways between a client and a socket of the child. */
const join = (client: net.Socket, upstream: net.Socket): void => {
  client.on("close", () => (Splice.isBroken(client) ? Splice.reset(upstream) : upstream.destroySoon()))
  if (client.destroyed) return Splice.reset(upstream)
  Splice.splice(client, upstream)
}

/** The way to the socket that listens now: another one when that of before takes no connection. */
const Routing = {
  make: (look: Effect.Effect<Port>, openRoute: OpenRoute) =>
    Effect.gen(function* () {
      const outer = yield* Effect.scope
      let [route, scope]: [Route | undefined, Scope.Closeable | undefined] = [undefined, undefined]
      const renew = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const found = yield* restore(look)
          if (found.kind !== "yes") return yield* new PortError({ message: "nothing listens there any more" })
          const own = yield* Scope.fork(outer)
          const opened = yield* restore(Scope.provide(openRoute(found), own)).pipe(
            Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void)),
          )
          const before = scope
          ;[route, scope] = [opened, own]
          if (before !== undefined) yield* Scope.close(before, Exit.void)
          return opened
        }),
      )
      const connect: Effect.Effect<net.Socket, PortError> = Effect.suspend(() => {
        const again = Effect.flatMap(renew, (other) => other.connect)
        return route === undefined ? again : Effect.catch(route.connect, () => again)
      })
      return { renew, connect }
    }),
}
