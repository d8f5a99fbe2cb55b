/**
 * Network namespaces for children, each with a socket on its loopback that this process listens on. A child that is
 * started in one reaches nothing else: there is no route, and no other child is in it.
 *
 * A process of our own makes them (`Mint.ts`), in a user namespace, so none of this needs root. It is started with the
 * first one, makes a few ahead, and ends after a while without a taker. The descriptors are copied out of it with
 * `pidfd_getfd`, which needs Linux 5.6.
 */
import * as net from "node:net"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import type { SpawnError } from "../../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type * as OwnProgram from "../../confine/OwnProgram.ts"
import type { Ffi } from "../../process/posix/Ffi.ts"
import * as Sockets from "../../transport/Sockets.ts"
import * as Maker from "./Maker.ts"
import * as Mint from "./Mint.ts"
import * as Unkept from "./Unkept.ts"

/** A namespace. Its descriptors are of this process; children do not inherit them. */
export interface Namespace {
  readonly network: number
  /** The user namespace that owns it. */
  readonly user: number
  /** The port on 127.0.0.1 in the namespace. */
  readonly port: number
  /** Serves the connections to the port until the scope ends, and then ends them. To be called once. */
  readonly listen: (serve: (socket: net.Socket) => void) => Effect.Effect<void, SpawnError, Scope.Scope>
}

export interface Namespaces {
  /** One that nobody else has, until the scope ends. */
  readonly take: Effect.Effect<Namespace, SpawnError, Scope.Scope>
}

export interface Options {
  /** Starts the process that makes them. */
  readonly spawner: Spawner.SpawnerService
  /** The path of bubblewrap. */
  readonly bubblewrap: string
  /** The program procwire. */
  readonly command: OwnProgram.Command
  readonly ffi: Ffi
}

/** The namespaces that are made ahead. */
const AHEAD = 3
/** The process that makes them ends after this time without a taker. */
const idle = "10 seconds"

/** Nothing is started before the first one is taken. */
export const make = (options: Options): Effect.Effect<Namespaces, never, Scope.Scope> =>
  Effect.gen(function* () {
    const mint = yield* RcRef.make({ acquire: start(options), idleTimeToLive: idle })
    const take = Effect.flatMap(Effect.scope, (scope) =>
      Effect.scoped(Effect.flatMap(Maker.living(mint), (each) => each.takeInto(scope))),
    )
    return { take: Effect.tapError(take, () => RcRef.invalidate(mint)) }
  })

/** Starts the process that makes namespaces. */
const start = ({ spawner, bubblewrap, command, ffi }: Options) =>
  Effect.gen(function* () {
    const enter = [bubblewrap, "--unshare-user", "--cap-add", "ALL", "--dev-bind", "/", "/", "--"]
    const maker = yield* Maker.start({ spawner, command, ffi, enter }, Unkept.make)
    /** Those that nobody has taken. */
    const ahead = new Set<Held>()
    yield* Effect.addFinalizer(() => Effect.sync(() => ahead.forEach((held) => held.release())))
    const one = Effect.gen(function* () {
      const made = Mint.decode(yield* maker.ask(Mint.MAKE))
      if (typeof made === "string") return yield* Effect.fail(Unkept.make(made))
      const held = yield* Maker.attempt(Unkept.make, () => {
        const copy = hold(maker, made)
        ahead.add(copy)
        return copy
      })
      yield* maker.drop
      return held
    })
    const ready = yield* Queue.bounded<Held, SpawnError>(AHEAD)
    yield* one.pipe(
      Effect.flatMap((held) => Queue.offer(ready, held)),
      Effect.forever,
      Effect.catch((cause) => Queue.fail(ready, cause)),
      Effect.forkScoped,
    )
    const takeInto = (scope: Scope.Scope) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const held = yield* restore(Queue.take(ready))
          ahead.delete(held)
          yield* Scope.addFinalizer(
            scope,
            Effect.sync(() => held.release()),
          )
          return held.namespace
        }),
      )
    return { takeInto, hasEnded: maker.hasEnded }
  })

interface Held {
  readonly namespace: Namespace
  readonly release: () => void
}

/** Copies the descriptors of a namespace. Throws, and holds none then. */
const hold = (calls: Maker.Maker, made: Mint.Made): Held => {
  const fds = new Set<number>()
  const release = () => {
    for (const fd of fds) calls.close(fd)
    fds.clear()
  }
  const copy = (fd: number) => {
    const own = calls.copy(fd)
    fds.add(own)
    return own
  }
  try {
    const [network, user, listener] = [copy(made.network), copy(made.user), copy(made.listener)]
    const listen: Namespace["listen"] = (serve) =>
      Effect.suspend(() => {
        // From here on it is the server that closes it.
        fds.delete(listener)
        return listenAt(listener, serve)
      })
    return { namespace: { network, user, port: made.port, listen }, release }
  } catch (cause) {
    release()
    throw cause
  }
}

/** Serves the connections to a socket that listens until the scope ends, which closes it, and then ends them. */
export const listenAt = (
  fd: number,
  serve: (socket: net.Socket) => void,
): Effect.Effect<void, SpawnError, Scope.Scope> =>
  Effect.gen(function* () {
    const track = yield* Sockets.track
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => net.createServer({ allowHalfOpen: true })),
      (each) => Effect.sync(() => each.close()),
    )
    server.on("connection", (socket) => {
      track(socket)
      serve(socket)
    })
    yield* Sockets.listen(server, { fd }, ({ message }) => message).pipe(
      Effect.mapError((cause) => Unkept.make(cause.message, cause)),
    )
  })
