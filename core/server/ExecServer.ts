/** The server: serves any number of connections over sessions that outlive them. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Features from "../features/Features.ts"
import { Files } from "../files/Files.ts"
import { HttpClient, withoutNetwork } from "../http/HttpClient.ts"
import { type Confinement, showsAllFiles } from "../protocol/Confinement.ts"
import * as Dialects from "../protocol/dialect/Dialects.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { LimitError } from "../protocol/Limits.ts"
import type { Visible } from "../protocol/List.ts"
import * as Message from "../protocol/Message.ts"
import * as SessionScope from "../protocol/SessionScope.ts"
import { SessionIds } from "../session/SessionIds.ts"
import * as SessionRegistry from "../session/SessionRegistry.ts"
import { Host } from "../spawn/Host.ts"
import { type GivenSecret, Spawner } from "../spawn/Spawner.ts"
import type { Transport } from "../transport/Transport.ts"
import type { AuditLog } from "./audit/AuditLog.ts"
import type { Policy } from "../features/egress/Rules.ts"
import * as Metrics from "../process/Metrics.ts"
import type { Decision } from "../spawn/Egress.ts"
import * as Notifier from "./Notifier.ts"
import * as SandboxedFiles from "../features/fs/SandboxedFiles.ts"
import * as Masking from "../features/secrets/Masking.ts"
import * as Secrets from "../features/secrets/Secrets.ts"
import * as Start from "./handlers/start.ts"
import * as ServerConnection from "./ServerConnection.ts"
import * as Tracing from "./Tracing.ts"

/** The options of a server; `SessionRegistry.defaultOptions` has the defaults. */
export interface Options extends SessionRegistry.Options {
  /** Reported to clients as `executorVersion`. */
  readonly version: string
  /** The dialect of the connections; the default is `current`. */
  readonly dialect?: Dialects.Name
  /** The least confinement of every request, whatever its `sandbox` says; by default none. */
  readonly floor?: Confinement | undefined
  /**
   * The rules for the hosts that processes reach, for all of them. Only with a `floor` without a network, and a spawner
   * with the capability `egress`: else every start is refused. `serve` reads them from its option.
   *
   * @internal
   */
  readonly egress?: Policy | undefined
  /** The sessions whose processes clients may list: their own (the default), or every session of this server. */
  readonly listSessions?: Visible | undefined
  /** The rights of every client on the sessions of others, whatever its door says; by default none. */
  readonly scope?: SessionScope.SessionScope | undefined
  /** The secrets of every process, which its output and lists never have; by default none. */
  readonly secrets?: ReadonlyArray<GivenSecret> | undefined
  /** Records every act of clients on this host; by default nothing does. */
  readonly auditLog?: AuditLog | undefined
}

/** A running server. */
export interface ExecServer {
  /** Serves one connection until it ends. Its session is detached when the scope closes. */
  readonly serve: (transport: Transport) => Effect.Effect<void, never, Scope.Scope>
  /** The refusal of one more connection; undefined if it would be served. */
  readonly refusal: () => LimitError | undefined
}

/** A server. When the scope closes its sessions end and their children are killed. */
export const make = (
  options: Options,
): Effect.Effect<ExecServer, never, Spawner | Files | SessionIds | Host | HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const { floor, limits, listSessions: listed = "own" } = options
    const host = yield* Host
    const wrong = Secrets.fault(options.secrets ?? [])
    if (wrong !== undefined) return yield* Effect.die(new TypeError(wrong))
    const hosted = options.secrets?.find(Secrets.isHosted)
    if (hosted !== undefined && options.egress === undefined)
      return yield* Effect.die(new TypeError(Secrets.unguarded(hosted)))
    const masked = Masking.over(yield* Spawner)
    const spawner = masked.capabilities
    const allFiles = yield* Files
    // A watch is done by the server itself, and would tell of files that do not exist for its clients.
    const files = floor === undefined || showsAllFiles(floor) ? allFiles : { ...allFiles, watches: false }
    const hasNetwork = floor?.network !== false
    const facts = {
      host,
      spawner,
      files,
      hasNetwork,
      keepsEgress: options.egress !== undefined && !hasNetwork && spawner.egress === true,
      secrets: options.secrets ?? [],
    }
    const metrics = options.metrics ?? Metrics.make()
    const { egress: policy } = options
    const count = ({ allowed }: Decision) => {
      const counter = allowed ? metrics.egressAllowed : metrics.egressDenied
      counter.value += 1
    }
    const features = yield* Features.make(limits, policy && { policy, count, next: (yield* SessionIds).next })
    const sessions = yield* Effect.provideService(
      SessionRegistry.make({ ...options, metrics }),
      Spawner,
      masked,
    )
    const server = (scope: SessionScope.SessionScope) => ({
      ...facts,
      listsAll: listed === "all" || SessionScope.includes(scope, "observe"),
      scope,
    })
    const own = features.starts(server("own"))
    yield* features.begin({
      sessions,
      start: ({ processes }, params, spec) => {
        const names = { name: params.name ?? undefined, labels: params.labels ?? undefined }
        const starting = Start.start(processes, own, params, spec, names)
        return Effect.andThen(own.loading("process/start", params) ?? Effect.void, starting)
      },
    })
    const shared: ServerConnection.Shared = {
      limits,
      dialect: Dialects.table[options.dialect ?? "current"],
      version: options.version,
      server,
      scope: options.scope ?? "own",
      floor,
      files,
      sandboxed: SandboxedFiles.make(files, host, floor),
      client: hasNetwork ? yield* HttpClient : withoutNetwork,
      sessions,
      tracing: yield* Tracing.make,
      join: features.join,
      outputs: Notifier.toPool(),
      auditLog: options.auditLog,
    }

    let connections = 0
    let lastConnection = 0
    const refusal = () =>
      connections < limits.connections
        ? undefined
        : new LimitError({ limit: "connections", value: limits.connections })

    /** Counts a connection until its scope closes. */
    const counted = Effect.flatMap(Effect.scope, (scope) => {
      connections += 1
      return Scope.addFinalizer(
        scope,
        Effect.sync(() => (connections -= 1)),
      )
    }).pipe(Effect.uninterruptible)

    const serve = (transport: Transport) =>
      Effect.suspend(() => {
        const refused = refusal()
        if (refused === undefined) return serveCounted(transport)
        transport.write(Message.errorText(Message.malformedId, ErrorCode.invalidRequest, refused.message))
        return Effect.andThen(Effect.logInfo(refused.message), transport.close)
      })

    const serveCounted = (transport: Transport) => {
      const number = (lastConnection += 1)
      return counted.pipe(
        Effect.andThen(ServerConnection.serve(transport, number, shared)),
        Effect.annotateLogs("connection", number),
      )
    }

    return { serve, refusal }
  })
