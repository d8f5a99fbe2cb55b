/**
 * A server in this process, as `procwire serve` and programs run it: one core behind any number of listeners.
 *
 * It ends when its scope closes, when it is asked to, or when one of its listeners ends, as stdin does. An end that is
 * asked for grants running processes the grace period; whatever is left then is killed.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Metrics from "../../../core/process/Metrics.ts"
import * as Limits from "../../../core/protocol/Limits.ts"
import { longestTimerMillis } from "../../../core/protocol/Timer.ts"
import * as ExecServer from "../../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import * as Drain from "../../../core/spawn/Drain.ts"
import { Keeper, type KeeperService } from "../../../core/spawn/Keeper.ts"
import { ProcessEvidence } from "../../../core/spawn/ProcessEvidence.ts"
import { Host as HostTag } from "../../../core/spawn/Host.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import { Listener, type Terms } from "../../../core/transport/Listener.ts"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import type { Platform } from "../Platform.ts"
import * as PeerCredentials from "../process/posix/PeerCredentials.ts"
import * as ServerServices from "../ServerServices.ts"
import * as Stats from "../status/Stats.ts"
import * as StatusPages from "../status/StatusPages.ts"
import type { Early } from "../start/Early.ts"
import { type Environment, take } from "../systemd/Environment.ts"
import { version } from "../Version.ts"
import type { Confinement } from "../../../core/protocol/Confinement.ts"
import * as Confine from "./Confine.ts"
import * as Given from "./Given.ts"
import type { Settings } from "./Given.ts"
import * as KeepFolder from "./KeepFolder.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Listening from "./Listening.ts"
import type { Options } from "./Options.ts"
import { behaviour, joining, keeping } from "./OptionTable.ts"
import { ServeError, invalid, misconfigured } from "./ServeError.ts"
import type { CloseOptions, ServerService } from "./ServerTag.ts"
import * as SpawnerLayer from "./SpawnerLayer.ts"
import * as Upgrades from "./Upgrades.ts"
import * as WebPage from "./WebPage.ts"
import { HistoryFiles } from "../../../core/features/history/HistoryFiles.ts"
import type { AuditLog } from "../../../core/server/audit/AuditLog.ts"
import type * as AuditFile from "../audit/AuditFile.ts"
import * as Lazy from "../Lazy.ts"
import * as HistoryFolders from "../host/HistoryFolders.ts"
import * as NodeHistoryFiles from "../host/NodeHistoryFiles.ts"
import * as OsError from "../host/OsError.ts"
import process from "node:process"

/** Facts of the command alone. */
export interface Host {
  /** True if this process is the program `procwire`, which can start itself again in a confinement. */
  readonly isCommand?: boolean
  /** The variables of systemd for this process. */
  readonly systemd?: Environment
  /** The start of this process, if the server is only on stdio and no option needs more than the start knows. */
  readonly early?: Early | undefined
  /** True: takes the place of the server that uses the same folder for its holder. */
  readonly takesOver?: boolean
  /** The addresses of the server that this process was before, in the order of the options. */
  readonly before?: ReadonlyArray<string> | undefined
  /** Runs when the server begins to end. */
  readonly onClosing?: (graceMs: number) => Effect.Effect<void>
}

/** A server with a holder. */
export interface Keeping {
  /** The folder by which servers find the holder. */
  readonly folder: string
  /** The number of processes that outlive this server. */
  readonly count: () => number
  /** Tells the server whose place this one has taken. */
  readonly done: Effect.Effect<void>
}

/** A server, and what only the command needs. */
export interface Made extends ServerService {
  readonly keeping: Keeping | undefined
}

/** Starts a server, which lives until it ends or the scope closes. */
export const make = (
  platform: Platform,
  settings: Settings,
  host: Host = {},
): Effect.Effect<Made, ServeError, TextFile.TextFiles | Scope.Scope> =>
  Effect.gen(function* () {
    const { options } = settings
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer)
    const closed = yield* Deferred.make<void, ServeError>()
    let result: Exit.Exit<void, ServeError> = Exit.void
    yield* Scope.addFinalizer(
      scope,
      Effect.suspend(() => Deferred.done(closed, result)),
    )
    const given: GivenBack = { back: Effect.void }
    const { listeners, doors, upgrades, serve, end, stats, page, files, keeping } = yield* Effect.onError(
      Scope.provide(start(platform, settings, host, given), scope),
      () => Effect.suspend(() => given.back),
    )

    let closing = false
    const close = ({ graceMs = options.graceMs ?? 0, keep = true }: CloseOptions = {}) =>
      Effect.gen(function* () {
        if (!closing && host.onClosing !== undefined) yield* host.onClosing(graceMs)
        closing = true
        yield* Effect.forEach([...listeners, ...doors], ({ stop }) => stop)
        yield* end(graceMs, keep)
        yield* Scope.close(scope, Exit.void)
        yield* Effect.exit(Deferred.await(closed))
      })
    yield* Scope.addFinalizer(
      outer,
      Effect.suspend(() => (closing ? Effect.void : close())),
    )

    const addresses = listeners.map(({ address }) => address)
    // Each in a fiber of its own: when one ends, the connections of the others go on for the grace period.
    const serving = yield* Effect.forEach([...listeners, ...doors], ({ run }) =>
      Effect.forkIn(Effect.mapError(run(serve), toServeError), scope),
    )
    const ends: ReadonlyArray<Effect.Effect<void, ServeError>> = [
      ...serving.map(Fiber.join),
      ...(options.exitOnStdinClose === true && !addresses.includes("stdio") ? [stdinClosed] : []),
    ]
    yield* Effect.exit(ends.reduce((one, other) => Effect.raceFirst(one, other), alive)).pipe(
      Effect.flatMap((exit) => {
        result = exit
        return Effect.forkIn(close(), outer)
      }),
      Effect.forkIn(scope),
    )
    const { named, renew } = files
    const context = yield* Effect.context<TextFile.TextFiles>()
    return {
      addresses,
      stats,
      handleUpgrade: upgrades.handle,
      webLink: ({ scope = "control" } = {}) => page.link(addresses, scope),
      files: { named, renew: Effect.provide(renew, context) },
      close,
      closed: Deferred.await(closed),
      keeping,
    }
  })

/** The processes that a start has taken over are given back if it fails. */
interface GivenBack {
  back: Effect.Effect<void>
}

/** Builds everything in the scope: nothing is served yet. */
const start = (platform: Platform, settings: Settings, host: Host, given: GivenBack) =>
  Effect.gen(function* () {
    const { options } = settings
    const { bwrap } = options
    if (bwrap !== undefined && Bubblewrap.find(bwrap) === undefined) {
      const wrong = { value: bwrap, label: settings.label("bwrap") }
      return yield* Given.refuse(wrong, { expected: "the path of an executable file, and none is there" })
    }
    yield* checkHistoryDir(settings)
    const ignored = (["tcpUpstreamProxy", "linuxSandboxTransparentTcp"] as const).filter(
      (path) => options[path] !== undefined && options[path] !== false,
    )
    if (ignored.length > 0)
      yield* Effect.logWarning(
        `${ignored.map(settings.label).join(" and ")} changes nothing: this server launches no managed proxy for ` +
          "processes, so a start that asks for transparent TCP is refused",
      )
    const metrics = Metrics.make()
    const limits = { ...Limits.defaults, ...options.limits }
    const found = yield* Listening.read(settings, {
      environment: host.systemd ?? take({}),
      openFfi: platform.openFfi,
    })
    const addresses = found.addresses.map((each, index) => ListenAddress.again(each, host.before?.[index]))
    const listening = { ...found, addresses }
    const lost = (events: number) => void (metrics.auditLost.value += events)
    const auditLog = yield* openAudit(settings, { version, lost })
    // The server, which counts connections, exists only after the listeners that ask it.
    const later: { refusal: ExecServer.ExecServer["refusal"] } = { refusal: () => undefined }
    const terms: Terms = {
      maxMessageBytes: limits.messageBytes,
      peerTimeoutMillis: options.peerTimeoutMs ?? behaviour.peerTimeoutMs.default,
      refusal: () => later.refusal(),
    }
    const stats = yield* Stats.make(version, metrics)
    const page = yield* WebPage.make(settings, listening)
    const bind = (addresses: Listening.Listening["addresses"]) =>
      Listening.bindAll(
        { ...listening, addresses },
        terms,
        { pages: StatusPages.make(version, metrics, stats), site: page.site },
        auditLog === undefined ? undefined : PeerCredentials.make(platform.openFfi),
        host.early,
      ).pipe(Effect.mapError((error) => toServeError(Listening.withRemedy(error, settings.label("listen")))))
    const place =
      host.takesOver === true
        ? yield* Lazy.use(
            () => import("./ServerPlace.ts"),
            ({ take }) => take(listening.addresses, bind, keepDir(options), platform.openFfi),
          )
        : undefined
    const held = yield* hold(platform, settings)
    const services = yield* buildServices(held?.platform ?? platform, settings, host, metrics)
    const floor = yield* Confine.floor(settings, services)
    const secrets = options.secrets === undefined ? [] : yield* readSecrets(settings)
    const egress = options.egress === undefined ? undefined : yield* readEgress(settings, services, floor)
    const bound = yield* place?.bound ?? bind(listening.addresses)
    const others = yield* Effect.forEach(options.listeners ?? [], (layer) =>
      Effect.map(Layer.build(layer), Context.get(Listener)),
    ).pipe(Effect.mapError(toServeError))
    const upgrades = yield* Upgrades.make({ ...Listening.rulesOf(listening), terms })
    const { spawner, watch, drain } = Drain.make(Context.get(services, Spawner))
    const histories = Context.get(services, HistoryFiles)
    if (held !== undefined) given.back = Effect.andThen(histories.leave ?? Effect.void, held.keeper.leave)
    const server = yield* ExecServer.make({
      version,
      dialect: options.dialect ?? "current",
      listSessions: options.listSessions ?? "own",
      scope: options.scope ?? "own",
      detachedMillis: options.detachedTtlMs ?? SessionRegistry.defaultOptions.detachedMillis,
      retentionMillis: options.retentionMs ?? SessionRegistry.defaultOptions.retentionMillis,
      limits,
      metrics,
      auditLog,
      floor,
      secrets,
      egress,
    }).pipe(Effect.provide(Context.add(held?.over(services, watch) ?? services, Spawner, spawner)))
    // Behind the adoption of what a server has left.
    yield* Effect.forkScoped(sweepHistories(settings))
    later.refusal = server.refusal
    if (held !== undefined) yield* place?.judge(held.count()) ?? Effect.void
    const serve = (transport: Transport) => metrics.whileConnected(server.serve(transport))
    const joined = isHost(options) ? yield* (yield* loadJoin).make(settings) : undefined
    const doors = joined === undefined ? [upgrades] : [upgrades, joined]
    const end = (graceMs: number, keep: boolean) => {
      if (held === undefined) return drain(graceMs)
      return keep ? given.back : Effect.andThen(drain(graceMs), held.endLeft)
    }
    const keeping =
      held === undefined
        ? undefined
        : { folder: keepDir(options), count: held.count, done: place?.done ?? Effect.void }
    return {
      listeners: [...bound, ...others],
      doors,
      upgrades,
      serve,
      end,
      stats,
      page,
      files: listening,
      keeping,
    }
  })

/** The holder of processes that outlive this server, if the options ask for it. */
const hold = (
  platform: Platform,
  { options, label }: Settings,
): Effect.Effect<Holding | undefined, ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const { keep = false, keepTtlMs, contain } = options
    if (!keep) {
      const vain = (["keepDir", "keepTtlMs"] as const).find((path) => options[path] !== undefined)
      return vain === undefined ? undefined : yield* invalid(`${label(vain)} needs ${label("keep")}`)
    }
    const other = options.spawner !== undefined ? "spawner" : isHost(options) ? "join" : undefined
    if (other !== undefined) return yield* invalid(`${label("keep")} and ${label(other)} exclude each other`)
    const { make } = yield* Effect.promise(() => import("../keep/HeldSpawner.ts"))
    const ttlMillis = keepTtlMs ?? keeping.keepTtlMs.default
    const made = make({ folder: keepDir(options), ttlMillis, contain, openFfi: platform.openFfi })
    const { spawner, keeper, evidence, count } = yield* Effect.mapError(made, ({ message }) =>
      misconfigured(`${label("keep")}: ${message}`),
    )
    return {
      platform: { ...platform, toSpawner: () => Layer.succeed(Spawner, spawner) },
      keeper,
      count,
      endLeft: Effect.flatMap(keeper.left, (all) => Effect.forEach(all, ({ end }) => end, { discard: true })),
      over: (services, watch) =>
        services.pipe(Context.add(Keeper, watch(keeper)), Context.add(ProcessEvidence, evidence)),
    }
  })

/** The folder by which servers find the holder. */
const keepDir = ({ keepDir }: Options): string => keepDir ?? KeepFolder.usual(process.env)

/** The same of a server that has a holder. */
const heldIn = (options: Options): string | undefined =>
  options.keep === true ? keepDir(options) : undefined

/** The parts of a server that come from its holder. */
interface Holding {
  /** The platform whose spawner is that of the holder. */
  readonly platform: Platform
  readonly keeper: KeeperService
  /** The number of processes that outlive this server. */
  readonly count: () => number
  /** Ends the processes that this server has not taken over. */
  readonly endLeft: Effect.Effect<void>
  /** The services of the server, with those of the holder; `watch` wraps its keeper. */
  readonly over: <R>(services: Context.Context<R>, watch: Drain.Drain["watch"]) => Context.Context<R>
}

const buildServices = (
  platform: Platform,
  { options, label }: Settings,
  host: Host,
  metrics: Metrics.Metrics,
) =>
  Effect.gen(function* () {
    const isCommand = host.isCommand === true
    const { bwrap, contain, historyDir } = options
    const onEscape = (count: number) => void (metrics.escaped.value += count)
    const choices = { contain, mayAdopt: isCommand, onEscape, spawner: options.spawner }
    const { platform: chosen, spawner } = yield* SpawnerLayer.choose(platform, choices, label)
    return yield* Layer.build(
      ServerServices.layer(chosen, {
        bwrap,
        egress: options.egress !== undefined,
        historyDir,
        keepDir: heldIn(options),
        spawner,
        isCommand,
        early: host.early,
      }),
    )
  })

/** The rules of the option `egress`, which the spawner has been seen to keep to. */
const readEgress = (
  settings: Settings,
  services: Context.Context<Spawner | HostTag>,
  floor: Confinement | undefined,
) =>
  Lazy.use(
    () => import("./Egress.ts"),
    ({ policy, tried }) => {
      const [spawner, host] = [Context.get(services, Spawner), Context.get(services, HostTag)]
      const { capabilities } = spawner
      return Effect.andThen(tried(settings, spawner, floor), policy(settings, { host, floor, capabilities }))
    },
  )

const readSecrets = (settings: Settings) =>
  Lazy.use(
    () => import("./SecretSources.ts"),
    ({ read }) => read(settings),
  )

/** Servers that are no hosts of a fleet do not load it. */
const loadJoin = Effect.promise(() => import("../fleet/JoinListener.ts"))

const isHost = (options: Options): boolean =>
  Object.keys(joining).some((name) => Object.hasOwn(options, name))

const toServeError = (error: TransportError): ServeError =>
  new ServeError({ reason: "Listen", message: error.message, cause: error })

/** Opens the log of the options until the scope closes; undefined if they ask for none. */
const openAudit = (
  { options, label }: Settings,
  about: Pick<AuditFile.Options, "version" | "lost">,
): Effect.Effect<AuditLog | undefined, ServeError, Scope.Scope> => {
  const { audit: path, auditBestEffort: bestEffort = false, auditLog } = options
  if (auditLog !== undefined && path === undefined && !bestEffort) return Effect.succeed(auditLog)
  if (auditLog !== undefined) return invalid(`auditLog and ${label("audit")} exclude each other`)
  if (path !== undefined) {
    const opened = Lazy.use(
      () => import("../audit/AuditFile.ts"),
      ({ make }) => make({ ...about, path, bestEffort }),
    )
    return Effect.mapError(opened, ({ message }) => misconfigured(message))
  }
  if (!bestEffort) return Effect.succeed(undefined)
  return invalid(`${label("auditBestEffort")} needs ${label("audit")} FILE`)
}

/** Removes what servers have left that were killed, and says how many. */
const sweepHistories = ({ options }: Settings): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => HistoryFolders.sweep(options.historyDir, heldIn(options))),
    (count) =>
      count === 0
        ? Effect.void
        : Effect.logWarning(
            `removed the histories of ${count} ${count === 1 ? "server" : "servers"} that had been killed`,
          ),
  )

/** Makes the folder of the options, if they name one, and tries to make a folder in it. */
const checkHistoryDir = ({ options, label }: Settings): Effect.Effect<void, ServeError> => {
  const { historyDir } = options
  if (historyDir === undefined) return Effect.void
  return Effect.tryPromise({
    try: () => NodeHistoryFiles.probe(historyDir),
    catch: (error) =>
      misconfigured(
        `${label("historyDir")} ${historyDir}: cannot keep histories there: ${OsError.fromUnknown(error).message}; ` +
          "name a folder that can be made and written",
      ),
  })
}

/** Keeps the program alive, and does nothing else. */
const alive = Effect.callback<never>(() => {
  const timer = setInterval(() => {}, longestTimerMillis)
  return Effect.sync(() => clearInterval(timer))
})

/** Completes at EOF on stdin. */
const stdinClosed: Effect.Effect<void> = Effect.callback((resume) => {
  const end = () => resume(Effect.void)
  for (const event of ["end", "close", "error"]) process.stdin.once(event, end)
  process.stdin.resume()
  return Effect.sync(() => process.stdin.pause())
})
