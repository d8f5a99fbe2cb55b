/**
 * A router in this process: its listeners, whom they admit, and the directory. Clients connect at `/`; hosts and other
 * routers below it, with a token of their own.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { Directory, type DirectoryService } from "../../../core/directory/Directory.ts"
import * as Router from "../../../core/fleet/Router.ts"
import type { ListenerService } from "../../../core/transport/Listener.ts"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as Bearer from "../auth/Bearer.ts"
import type * as TextFile from "../host/TextFile.ts"
import * as NodeHost from "../host/NodeHost.ts"
import type { Settings } from "../serve/Given.ts"
import * as ListenAddress from "../serve/ListenAddress.ts"
import * as Listening from "../serve/Listening.ts"
import { behaviour } from "../serve/OptionTable.ts"
import { invalid, misconfigured, ServeError } from "../serve/ServeError.ts"
import type { NamedFiles } from "../serve/ServerTag.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import { take } from "../systemd/Environment.ts"
import * as FleetUrl from "./FleetUrl.ts"
import * as RouterSite from "./RouterSite.ts"
import * as Secrets from "./Secrets.ts"
import * as MemoryDirectory from "../../../core/directory/Memory.ts"
import * as StatusPages from "../status/StatusPages.ts"
import { version } from "../Version.ts"

export interface RouterOptions {
  /** `postgres://…`, `nats://…` or `memory:`. */
  readonly directory: string
  /** The tokens of hosts and other routers; the first one is shown to other routers. */
  readonly hostTokenFiles: ReadonlyArray<string>
  /** The address of this router for other routers alone; by default its first one. */
  readonly advertise?: string | undefined
  /** The authority of other routers, as PEM. */
  readonly routerCaFile?: string | undefined
  readonly quota?: number | undefined
}

export interface RunningRouter {
  readonly addresses: ReadonlyArray<string>
  readonly files: NamedFiles
  /** Serves until it is interrupted. */
  readonly run: Effect.Effect<void, TransportError>
  /** Admits no more connections: clients and hosts find the next router at once. */
  readonly stop: Effect.Effect<void>
}

/** The listeners with their admission. */
const guarded = (settings: Settings, options: RouterOptions) =>
  Effect.gen(function* () {
    const listening = yield* Listening.read(settings, { environment: take({}), openFfi: noFfi })
    if (listening.addresses.some(({ kind }) => kind !== "ws"))
      return yield* invalid("--listen: a router listens at ws://IP:PORT alone")
    const tokens = yield* Effect.forEach(options.hostTokenFiles, (file) =>
      Secrets.read(file, "--host-token-file"),
    )
    const known = tokens.flatMap((token) => (token === undefined ? [] : [{ digest: Bearer.sha256(token) }]))
    const label = (path: string) => (path === "auth.mode" ? "--host-token-file" : settings.label(path))
    if (known.length === 0 && listening.rule !== undefined)
      return yield* misconfigured(
        "--ws-auth needs --host-token-file: without it every client could be a host",
      )
    if (known.length === 0 && settings.options.allowUnauthenticated !== true)
      for (const address of listening.addresses)
        yield* ListenAddress.refuseUnguarded(address, { token: false, certificate: false }, label)
    const admit =
      known.length === 0 ? async () => ({}) : UpgradeAdmission.admitBearer(Bearer.fromDigests(known))
    return { listening, admit, token: tokens[0] }
  })

/** Unix sockets, whose peers are looked up, are none of a router. */
const noFfi = () => {
  throw new Error("a router calls no C library")
}

export const make = (
  settings: Settings,
  options: RouterOptions,
): Effect.Effect<RunningRouter, ServeError, TextFile.TextFiles | Scope.Scope> =>
  Effect.gen(function* () {
    const { listening, admit, token } = yield* guarded(settings, options)
    const ca = yield* Secrets.readText(options.routerCaFile, "--router-ca")
    const access = {
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
      plain: true,
    }
    const directory = yield* openDirectory(options.directory)
    const pages = makePages()
    let running: ReturnType<Parameters<typeof RouterSite.make>[1]> = undefined
    const site = RouterSite.make(admit, () => running)
    const terms = {
      whole: true,
      peerTimeoutMillis: settings.options.peerTimeoutMs ?? behaviour.peerTimeoutMs.default,
    }
    const bound = yield* Effect.mapError(
      Listening.bindAll(listening, terms, { pages: pages.pages, site }),
      toServeError,
    )
    const addresses = bound.map(({ address }) => address)
    const address = options.advertise ?? addresses[0] ?? ""
    if (/^wss?:\/\/(0\.0\.0\.0|\[::\])/.test(address))
      return yield* misconfigured(`--advertise is needed: other routers cannot find this one at ${address}`)
    const ids = yield* Layer.build(NodeHost.layerSessionIds)
    const router = yield* Router.make({
      address,
      quota: options.quota,
      keyOf: (id) => createHash("sha256").update(id).digest("hex"),
      openRouter: (other) => LazyWebSockets.connect(FleetUrl.of(other, "hop"), access),
    }).pipe(Effect.provideService(Directory, directory), Effect.provide(ids))
    pages.show(router)
    running = { router, directory }
    const context = yield* Effect.context<TextFile.TextFiles>()
    const files = { named: listening.named, renew: Effect.provide(listening.renew, context) }
    const stop = Effect.forEach(bound, (listener) => listener.stop, { discard: true })
    return { addresses, files, run: runAll(bound, serving(router)), stop }
  })

/** Serves each connection by its role. */
const serving =
  (router: Router.Router) =>
  (transport: Transport): Effect.Effect<void, never, Scope.Scope> => {
    const { role = "client", query } = FleetUrl.read(transport.requested ?? "/") ?? {}
    switch (role) {
      case "host":
        return router.serveHost(transport)
      case "dial":
        return router.serveDialled(transport, query?.get("connection") ?? "")
      case "hop":
        return router.serveHop(transport)
      case "client": {
        const labels = FleetUrl.labelsOf(query?.getAll("label") ?? [])
        const tenant = transport.peer?.credential?.tenant ?? "default"
        return router.serveClient(transport, { tenant, labels })
      }
    }
  }

const runAll = (bound: ReadonlyArray<ListenerService>, serve: ReturnType<typeof serving>) =>
  Effect.forEach(bound, ({ run }) => run(serve), { concurrency: "unbounded", discard: true })

const toServeError = (error: TransportError): ServeError => {
  const { message } = Listening.withRemedy(error, "--listen")
  return new ServeError({ reason: "Listen", message, cause: error })
}

/** Opens the directory until the scope closes. An engine is loaded when it is named. */
const openDirectory = (url: string): Effect.Effect<DirectoryService, ServeError, Scope.Scope> => {
  if (url === "memory:") return MemoryDirectory.make()
  const opened = <E extends { readonly message: string }>(
    make: Effect.Effect<DirectoryService, E, Scope.Scope>,
  ) => Effect.mapError(make, ({ message }) => misconfigured(`the directory cannot be opened: ${message}`))
  if (/^postgres(ql)?:\/\//.test(url)) {
    const loaded = Effect.promise(() => import("../directory/PostgresDirectory.ts"))
    return opened(Effect.flatMap(loaded, (postgres) => postgres.make({ url })))
  }
  if (/^(nats|tls):\/\//.test(url)) {
    const loaded = Effect.promise(() => import("../directory/NatsDirectory.ts"))
    return opened(Effect.flatMap(loaded, (nats) => nats.make({ url })))
  }
  // The value may have a password.
  return invalid("--directory: expected postgres://USER@HOST/DATABASE, nats://HOST:PORT or memory:")
}

/** The status over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus. There before the router. */
const makePages = () => {
  let shown: Router.Router | undefined
  const page = (contentType: string, body: (router: Router.Router) => string) => () =>
    shown === undefined ? { status: 503, body: "" } : StatusPages.reply(contentType, body(shown))
  return {
    pages: {
      "/healthz": page("application/json", healthOf),
      "/metrics": page(StatusPages.metricsType, ({ metrics }) => StatusPages.encode(metrics.snapshot())),
    } satisfies UpgradeAdmission.Pages,
    /** From now on they show this router. */
    show: (router: Router.Router) => void (shown = router),
  }
}

const healthOf = ({ view, metrics, tunnels }: Router.Router): string =>
  JSON.stringify({
    status: "ok",
    version,
    connections: metrics.connections(),
    tunnels: tunnels.size,
    sessions: view.sessions.size,
    hosts: [...view.hosts.values()].filter(({ state }) => state === "up").length,
  })
