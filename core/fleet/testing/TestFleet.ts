/** A fleet in one program: routers and hosts with the real server, over a directory and transports in memory. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Addresses from "../../client/Addresses.ts"
import * as ExecClient from "../../client/ExecClient.ts"
import { Directory, type DirectoryService } from "../../directory/Directory.ts"
import { type DirectoryError, refused } from "../../directory/DirectoryError.ts"
import * as MemoryDirectory from "../../directory/Memory.ts"
import { SessionIds } from "../../session/SessionIds.ts"
import * as TestServer from "../../testing/TestServer.ts"
import * as Memory from "../../transport/Memory.ts"
import { type Transport, TransportError } from "../../transport/Transport.ts"
import * as HostLink from "../HostLink.ts"
import * as Router from "../Router.ts"

const unreachable = new TransportError({ reason: "Open", message: "nobody is there" })

/** No logs: these tests lose connections on purpose. */
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

/** A directory that can be away, and the same one for those who look at it. */
const makeDirectory = Effect.gen(function* () {
  const real = yield* MemoryDirectory.make()
  let away = false
  let announcements = 0
  const unavailable = Effect.fail(refused("Unavailable", "the directory is away"))
  const gated = <A>(asked: Effect.Effect<A, DirectoryError>) =>
    Effect.suspend(() => (away ? unavailable : asked))
  const directory: DirectoryService = {
    announce: (said) => {
      announcements += 1
      return gated(real.announce(said))
    },
    renew: (host) => gated(real.renew(host)),
    drain: (hostId, draining) => gated(real.drain(hostId, draining)),
    claim: (claim) => gated(real.claim(claim)),
    confirm: (session) => gated(real.confirm(session)),
    lookup: (sessionId) => gated(real.lookup(sessionId)),
    end: (session, ending) => gated(real.end(session, ending)),
    list: (query) => gated(real.list(query)),
    watch: real.watch,
  }
  const setAway = (now: boolean) => {
    away = now
  }
  return { directory, real, setAway, announcements: () => announcements }
})

/** Routers, which come and go. */
const makeRouters = (directory: DirectoryService) =>
  Effect.gen(function* () {
    let ids = 0
    const sessionIds = { next: Effect.sync(() => `id-${(ids += 1)}`) }
    const routers = new Map<string, { readonly router: Router.Router; readonly scope: Scope.Closeable }>()
    const outer = yield* Effect.scope

    /** A connection to a router, which `serve` serves. */
    const open = (
      name: string,
      serve: (router: Router.Router, transport: Transport) => ReturnType<Router.Router["serveHost"]>,
    ) =>
      Effect.gen(function* () {
        const found = routers.get(name)
        if (found === undefined) return yield* unreachable
        const ends = yield* Scope.fork(found.scope)
        const [near, far] = yield* Scope.provide(Memory.makePair(), ends)
        yield* Effect.addFinalizer(() => Scope.close(ends, Exit.void))
        yield* serve(found.router, far).pipe(
          quiet,
          Effect.ensuring(far.close),
          Effect.scoped,
          Effect.forkIn(ends),
        )
        return near
      })

    const startRouter = (name: string, quota?: number) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer)
        const router = yield* Router.make({
          address: name,
          quota,
          keyOf: (id) => `key-of-${id}`,
          openRouter: (address) => open(address, (other, far) => other.serveHop(far)),
        }).pipe(
          Effect.provideService(Directory, directory),
          Effect.provideService(SessionIds, sessionIds),
          Scope.provide(scope),
        )
        routers.set(name, { router, scope })
        return router
      })
    const killRouter = (name: string) =>
      Effect.suspend(() => {
        const { scope } = routers.get(name) ?? {}
        routers.delete(name)
        return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
      })
    return { routers, open, startRouter, killRouter, outer }
  })

/** A fleet, whose routers and hosts come and go. */
export const make = Effect.gen(function* () {
  const { directory, real, setAway, announcements } = yield* makeDirectory
  const { routers, open, startRouter, killRouter, outer } = yield* makeRouters(directory)
  const epochs = new Map<string, number>()
  const startHost = (hostId: string, doors: ReadonlyArray<string>, labels = {}) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer)
      const server = yield* Scope.provide(TestServer.make(), scope)
      const options = {
        hostId,
        labels,
        capacity: 100,
        nextEpoch: (above: number) =>
          Effect.sync(() => {
            const epoch = Math.max(above, epochs.get(hostId) ?? 0) + 1
            epochs.set(hostId, epoch)
            return epoch
          }),
        doors: doors.map((name) => ({
          name,
          tunnel: open(name, (router, far) => router.serveHost(far)),
          dial: (connection: string) => open(name, (router, far) => router.serveDialled(far, connection)),
        })),
      }
      yield* HostLink.run(options, (transport) => server.serve(transport)).pipe(quiet, Effect.forkIn(scope))
      return { fake: server.fake, stop: Scope.close(scope, Exit.void) }
    })

  const connect = (
    names: readonly [string, ...ReadonlyArray<string>],
    wish: Partial<Router.Wish> = {},
    options: ExecClient.Options = {},
  ) => {
    const whole = { tenant: "t", labels: {}, ...wish }
    const [first, ...others] = names.map((name) =>
      open(name, (router, far) => router.serveClient(far, whole)),
    )
    return ExecClient.make(Addresses.inTurn([first!, ...others]), { reconnect: {}, ...options })
  }
  return { directory: real, startRouter, killRouter, startHost, connect, setAway, routers, announcements }
})
