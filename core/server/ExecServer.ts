/**
 * The server: one connection at a time from handshake to detachment, over sessions that outlive it.
 *
 * A connection is a small state machine (new, initialized, ready) in front of a session. Its end, for
 * whatever reason, detaches the session and cancels its waiting requests; children run on. Where a dialect
 * has no handshake, the first request that needs a session opens one that ends with the connection.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { Files } from "../files/Files.ts"
import { HttpClient } from "../http/HttpClient.ts"
import type { Process } from "../process/Process.ts"
import * as Dialects from "../protocol/dialect/Dialects.ts"
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import type { Family } from "../protocol/Methods.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { LimitError } from "../protocol/Limits.ts"
import * as Message from "../protocol/Message.ts"
import type { InitializeParams } from "../protocol/Session.ts"
import * as Connection from "../rpc/Connection.ts"
import * as Router from "../rpc/Router.ts"
import type { SessionIds } from "../session/SessionIds.ts"
import * as SessionRegistry from "../session/SessionRegistry.ts"
import { Host } from "../spawn/Host.ts"
import { Spawner } from "../spawn/Spawner.ts"
import type { Transport } from "../transport/Transport.ts"
import * as SandboxedFiles from "./SandboxedFiles.ts"
import * as EnvironmentInfo from "./EnvironmentInfo.ts"
import * as fileHandlers from "./handlers/fs.ts"
import * as httpHandlers from "./handlers/http.ts"
import * as processHandlers from "./handlers/process.ts"
import * as Notifier from "./Notifier.ts"
import * as FairSender from "./FairSender.ts"
import * as Tracing from "./Tracing.ts"
import { type HandlerError, HandshakeError, toRpcError } from "./WireError.ts"

export interface Options extends SessionRegistry.Options {
  /** Reported as `executorVersion`. */
  readonly version: string
  /** What connections speak; the default is today's wire. */
  readonly dialect?: Dialects.Name
}

export interface ExecServer {
  /** Serves one connection until it ends. */
  readonly serve: (transport: Transport) => Effect.Effect<void, never, Scope.Scope>
  /** Why one more connection would not be served, for whoever can say so before it becomes one. */
  readonly refusal: () => LimitError | undefined
}

export const make = (
  options: Options,
): Effect.Effect<ExecServer, never, Spawner | Files | SessionIds | Host | HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* Host
    const sessions = yield* SessionRegistry.make(options)
    const { capabilities } = yield* Spawner
    const files = yield* Files
    const sandboxed = SandboxedFiles.make(files, host)
    const client = yield* HttpClient
    const tracing = yield* Tracing.make
    const environmentInfo = EnvironmentInfo.make(host, capabilities, files, options.version)

    const { limits } = options
    let connections = 0
    let lastConnection = 0
    const refusal = () =>
      connections < limits.connections
        ? undefined
        : new LimitError({ limit: "connections", value: limits.connections })

    const serve = (transport: Transport) =>
      Effect.suspend(() => {
        const refused = refusal()
        if (refused === undefined) return serveOne(transport)
        transport.write(Message.errorText(Message.malformedId, ErrorCode.invalidRequest, refused.message))
        return Effect.zipRight(Effect.logInfo(refused.message), transport.close)
      })

    const serveOne = (transport: Transport) =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => (connections += 1)),
          () => Effect.sync(() => (connections -= 1)),
        )
        let session: SessionRegistry.Session | undefined
        let initializing = false
        let ready = false
        let dialect: Dialect = Dialects.table[options.dialect ?? "current"]

        const sender = FairSender.make((message) => connection.write(message))
        const notifier = Notifier.make(sender, (processId) => dialect.events(processId))
        const bodies = { fork: yield* FiberSet.makeRuntime<never>(), scope: yield* Effect.scope }

        /** Decides for the dialect that a request speaks, where that is still open. */
        const settle = (request: Message.Request) =>
          Effect.suspend(() => {
            const before = session
            const next = dialect.next?.(request)
            dialect = next ?? dialect
            if (before === undefined || dialect.handshake) return Effect.void
            session = undefined
            return sessions.end(before)
          })

        const bind = (yield* Effect.makeSemaphore(1)).withPermits(1)(
          Effect.suspend(() => (session === undefined ? sessions.openBound : Effect.succeed(session))).pipe(
            Effect.map((bound) => {
              session = bound
            }),
            Effect.uninterruptible,
          ),
        )

        const gate = (family: Family): Effect.Effect<void, HandlerError> => {
          if (!dialect.handshake) return session === undefined ? bind : Effect.void
          if (ready) return Effect.void
          const reason = session === undefined ? "NotInitialized" : "NotReady"
          return Effect.fail(new HandshakeError({ reason, family }))
        }

        const attach = (resumeId: string | null | undefined) =>
          Effect.suspend((): Effect.Effect<SessionRegistry.Session, HandlerError> => {
            if (initializing) return Effect.fail(new HandshakeError({ reason: "Repeated" }))
            initializing = true
            return resumeId == null ? sessions.open : sessions.resume(resumeId)
          }).pipe(
            Effect.tapError((error) =>
              Effect.sync(() => {
                if (error._tag !== "HandshakeError") initializing = false
              }),
            ),
          )

        const attached = () => {
          if (session === undefined) throw new Error("the gate lets no process method pass without a session")
          return session
        }

        const fileMethods = yield* fileHandlers.make({
          platform: host.platform,
          files,
          sandboxed,
          write: (text) => void connection.write(text),
        })

        const router = Router.make<HandlerError>({
          dialect: () => dialect,
          gate,
          toRpcError,
          handlers: {
            initialize: ({ resumeSessionId, replayAfter }, { afterReply }) =>
              Effect.map(attach(resumeSessionId), (attached) => {
                session = attached
                afterReply(() =>
                  attached.processes.each((process, fresh) =>
                    notifier.attach(process, fresh ? 0 : replayFrom(process, replayAfter)),
                  ),
                )
                return { sessionId: attached.id, environmentInfo }
              }),
            "environment/info": () => Effect.succeed(environmentInfo),
            "environment/status": () => Effect.succeed({ status: "ready" as const }),
            ...processHandlers.make({
              host,
              capabilities,
              processes: () => attached().processes,
              sessionId: () => attached().id,
              notifier,
              tracing,
            }),
            ...fileMethods,
            ...httpHandlers.make({ host, client, limits, sender, ...bodies }),
          },
        })

        const connection = yield* Connection.make(
          transport,
          {
            request: (request, context) => {
              const handle = () => router.handle(request.method, request.params, context)
              const answer = dialect.next === undefined ? handle() : Effect.flatMap(settle(request), handle)
              return tracing.request(request, () => session?.id, answer)
            },
            slotted: router.slotted,
            notification: ({ method }) => {
              const taken = dialect.notification(method, session !== undefined)
              ready ||= taken === true
              return taken
            },
            get endsOnMalformed() {
              return dialect.endsOnMalformed
            },
            get endsOnStrayAnswer() {
              return dialect.endsOnStrayAnswer
            },
          },
          { concurrentRequests: limits.concurrentRequests, bounds: limits },
        )
        connection.onDrain(sender.drain)
        yield* Effect.addFinalizer(() => {
          notifier.close()
          return session === undefined ? Effect.void : sessions.detach(session)
        })
        yield* Effect.logDebug(`connected: ${transport.label}`)
        const why = yield* connection.run
        const about = session === undefined ? {} : { session: session.id }
        yield* Effect.annotateLogs(Effect.logDebug(`disconnected: ${why}`), about)
      }).pipe(Effect.annotateLogs("connection", (lastConnection += 1)))

    return { serve, refusal }
  })

/**
 * The seq behind which a resumed connection is told of a process: the one it names. Without one, what was
 * written while nobody listened is for `process/read`, and pushing goes on with what comes now. A seq that
 * does not exist yet is not waited for.
 */
const replayFrom = (process: Process, replayAfter: InitializeParams["replayAfter"]): number => {
  const now = process.log.nextSeq() - 1
  // An id may be any text, also the name of something that every object has.
  const named = replayAfter != null && Object.hasOwn(replayAfter, process.id)
  return named ? Math.min(replayAfter[process.id] ?? now, now) : now
}
