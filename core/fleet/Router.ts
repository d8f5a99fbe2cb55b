/**
 * A router of a fleet: it finds a host for each session, and passes the frames of client and host on. It keeps nothing
 * that another router needs; when it dies, its clients resume by another one.
 *
 * A start claims a place in the directory. A resume looks the session up; while the directory is away, what the router
 * has seen of it counts. A host whose tunnel another router has is reached by one hop over that router.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Directory, type DirectoryService, type Labels } from "../directory/Directory.ts"
import type { DirectoryError } from "../directory/DirectoryError.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import { SessionIds } from "../session/SessionIds.ts"
import type { Transport } from "../transport/Transport.ts"
import { FleetView } from "./FleetView.ts"
import * as Greeting from "./Greeting.ts"
import * as HostDialer from "./HostDialer.ts"
import * as Pauses from "./Pauses.ts"
import * as Registration from "./Registration.ts"
import * as RouterMetrics from "./RouterMetrics.ts"
import * as RouterTracing from "./RouterTracing.ts"
import { splice } from "./Splice.ts"
import { FleetError, Tunnels } from "./Tunnels.ts"

export interface Options extends HostDialer.Routers {
  readonly quota?: number | undefined
  /** The name by which the directory knows a session: it must not tell the id, which is a secret. */
  readonly keyOf: (sessionId: string) => string
  /** The time that a resume waits for its host, in milliseconds; then the client tries again. Default: 5,000. */
  readonly waitMillis?: number
}

/** The request of a client beside its messages. */
export interface Wish {
  readonly tenant: string
  /** Labels that its host must have; undefined if they cannot be parsed. */
  readonly labels: Labels | undefined
}

type Served = Effect.Effect<void, never, Scope.Scope>

/** A router, which serves connections of four kinds; each until it ends. */
export interface Router {
  readonly serveClient: (transport: Transport, wish: Wish) => Served
  readonly serveHost: (transport: Transport) => Served
  /** The connection that a host has made because it was asked for it by that name. */
  readonly serveDialled: (transport: Transport, connection: string) => Served
  readonly serveHop: (transport: Transport) => Served
  readonly view: FleetView
  readonly metrics: RouterMetrics.RouterMetrics
  readonly tunnels: Tunnels
}

/** A router, until the scope closes. */
export const make = (options: Options): Effect.Effect<Router, never, Directory | SessionIds | Scope.Scope> =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const ids = yield* SessionIds
    const tunnels = new Tunnels()
    const view = new FleetView()
    const metrics = RouterMetrics.make(tunnels, view)
    yield* Effect.forkScoped(view.follow(directory))
    const tracing = yield* RouterTracing.make
    const toHost = HostDialer.reaching(options, tunnels, ids, metrics)
    const reach: HostDialer.Reach = (at, whom) =>
      tracing.step("dial host", { "host.id": at.hostId }, toHost(at, whom))
    const traced: DirectoryService = {
      ...directory,
      claim: (asked) => tracing.step("claim place", { tenant: asked.tenant }, directory.claim(asked)),
      lookup: (key) => tracing.step("look up session", {}, directory.lookup(key)),
    }
    const routing: Routing = {
      options,
      directory: traced,
      tunnels,
      view,
      reach,
      metrics,
      tracing,
      nextId: ids.next,
    }
    return {
      serveClient: (transport, wish) => serveClient(routing, transport, wish),
      serveHost: (transport) => Registration.serve(transport, directory, tunnels, options.address),
      serveDialled: (transport, connection) => tunnels.arrived(connection, transport),
      serveHop: (transport) => HostDialer.serve(transport, tunnels, ids, tracing),
      view,
      metrics,
      tunnels,
    }
  })

interface Routing {
  readonly options: Options
  readonly directory: DirectoryService
  readonly tunnels: Tunnels
  readonly view: FleetView
  readonly reach: HostDialer.Reach
  readonly metrics: RouterMetrics.RouterMetrics
  readonly tracing: RouterTracing.RouterTracing
  readonly nextId: Effect.Effect<string>
}

/** The error of a client that gets no session. */
class Refused {
  readonly code: number
  readonly message: string
  constructor(code: number, message: string) {
    this.code = code
    this.message = message
  }
}

const serveClient = (routing: Routing, transport: Transport, wish: Wish): Served =>
  Effect.suspend(() => {
    const left = routing.metrics.connected()
    // A client that is spliced with its host is connected for longer than this.
    return Effect.flatMap(
      Effect.onError(lead(routing, transport, wish), () => Effect.sync(left)),
      (host) => (host === undefined ? Effect.sync(left) : splice(transport, host, left)),
    )
  })

/** Leads a client to its host; undefined if that cannot be. */
const lead = (routing: Routing, transport: Transport, wish: Wish) =>
  Effect.gen(function* () {
    const asked = yield* Greeting.read(transport)
    if (asked === undefined) return undefined
    const { id, resumeSessionId } = asked
    const leading =
      resumeSessionId === undefined
        ? start(routing, transport, wish)
        : resume(routing, transport, wish, resumeSessionId)
    const found = yield* Effect.result(routing.tracing.route(asked, leading))
    if (Result.isFailure(found)) {
      routing.metrics.refused()
      yield* Greeting.refuse(transport, id, found.failure.code, found.failure.message)
      return undefined
    }
    if (resumeSessionId === undefined) routing.metrics.started()
    else routing.metrics.resumed()
    const [host, text] = found.success
    host.write(text)
    return host
  })

/** Hosts that are tried for one start, if they cannot be reached. */
const mostHosts = 3

/** A connection to a host that has a place for a session. */
const start = (
  { directory, nextId, options, reach, view }: Routing,
  { peer }: Transport,
  { tenant, labels }: Wish,
): Effect.Effect<Transport, Refused, Scope.Scope> =>
  Effect.gen(function* () {
    if (labels === undefined)
      return yield* Effect.fail(
        new Refused(ErrorCode.invalidRequest, "no session was started: a label is asked for by ?label=K=V"),
      )
    let last = ""
    for (let tried = 0; tried < mostHosts; tried++) {
      const sessionId = yield* nextId
      const key = options.keyOf(sessionId)
      const { fence, hostId } = yield* Effect.mapError(
        directory.claim({ sessionId: key, tenant, quota: options.quota, labels }),
        ({ message, reason }) =>
          reason === "Unavailable"
            ? new Refused(ErrorCode.internalError, `no session can be started now: ${message}`)
            : new Refused(ErrorCode.invalidRequest, `no session was started: ${message}`),
      )
      const address = view.hosts.get(hostId)?.address
      const at = { hostId, address: address ?? (yield* addressOf(directory, key)) }
      const reached = yield* Effect.result(reach(at, { peer, place: { sessionId, key, fence, tenant } }))
      if (Result.isSuccess(reached)) return reached.success
      last = reached.failure.message
      yield* Effect.ignore(directory.end({ sessionId: key, fence }, "start failed"))
    }
    return yield* Effect.fail(new Refused(ErrorCode.internalError, `no session was started: ${last}`))
  })

const addressOf = (directory: DirectoryService, key: string) =>
  Effect.match(directory.lookup(key), { onFailure: () => undefined, onSuccess: ({ host }) => host.address })

/** A connection to the host of a session, which is waited for while it is away. */
const resume = (
  routing: Routing,
  { peer }: Transport,
  { tenant }: Wish,
  sessionId: string,
): Effect.Effect<Transport, Refused, Scope.Scope> =>
  Effect.gen(function* () {
    const { options, reach } = routing
    const key = options.keyOf(sessionId)
    const until = (yield* Clock.currentTimeMillis) + (options.waitMillis ?? 5_000)
    const pauses = Pauses.make(100, 1_000)
    for (;;) {
      const found = yield* Effect.result(find(routing, key))
      // The answer for a session of somebody else is that for one that does not exist.
      const unknown = new Refused(ErrorCode.invalidRequest, ErrorText.of("unknownSession", { sessionId }))
      let last: string
      if (Result.isFailure(found)) {
        if (found.failure.reason !== "Unavailable") return yield* Effect.fail(unknown)
        last = found.failure.message
      } else {
        const { session, host } = found.success
        if (session.tenant !== tenant) return yield* Effect.fail(unknown)
        if (session.state === "ended") {
          const why = `the session ${sessionId} has ended: ${session.ending ?? "closed"}`
          return yield* Effect.fail(new Refused(ErrorCode.invalidRequest, why))
        }
        const reached = yield* Effect.result(
          host.state === "up" || routing.tunnels.of(host.hostId) !== undefined
            ? reach(host, { peer })
            : new FleetError({
                message: `the host ${host.hostId} is lost: nothing was heard of it for its lease`,
              }),
        )
        if (Result.isSuccess(reached)) return reached.success
        last = reached.failure.message
      }
      if ((yield* Clock.currentTimeMillis) >= until) {
        // The code by which every client tries again.
        const why = `the session ${sessionId} cannot be resumed yet: ${last}; it is kept`
        return yield* Effect.fail(new Refused(ErrorCode.sessionAttached, why))
      }
      yield* pauses.next
    }
  })

/** A session and its host: as this router has seen it if the tunnel is its own, else as the directory has it. */
const find = ({ directory, tunnels, view }: Routing, key: string) =>
  Effect.suspend(() => {
    const session = view.sessions.get(key)
    const host = session === undefined ? undefined : view.hosts.get(session.hostId)
    const seen = session === undefined || host === undefined ? undefined : { session, host }
    if (seen !== undefined && tunnels.of(seen.host.hostId)?.epoch === seen.session.epoch)
      return Effect.succeed(seen)
    return Effect.catch(directory.lookup(key), (error: DirectoryError) =>
      error.reason === "Unavailable" && seen !== undefined ? Effect.succeed(seen) : Effect.fail(error),
    )
  })
