/**
 * One connection of a server, from its handshake to its end.
 *
 * However it ends, its session is detached and its waiting requests are cancelled; the children run on. If another
 * connection takes the session over, its waiting requests are refused, and it ends with `session/taken`. Where the
 * dialect has no handshake, the first request that needs a session opens one, which ends with the connection.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { FilesService } from "../files/Files.ts"
import type { HttpClientService } from "../http/HttpClient.ts"
import type { Confinement } from "../protocol/Confinement.ts"
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { Limits } from "../protocol/Limits.ts"
import type { Visible } from "../protocol/List.ts"
import type { Family } from "../protocol/Methods.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Receiver } from "../rpc/Receiver.ts"
import * as Router from "../rpc/Router.ts"
import { cancelledId, notificationText, type RequestId } from "../protocol/Message.ts"
import type { Holder, Session, SessionRegistry } from "../session/SessionRegistry.ts"
import type { HostInfo } from "../spawn/Host.ts"
import type { Capabilities } from "../spawn/Spawner.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Auditing from "./audit/Auditing.ts"
import type { AuditLog } from "./audit/AuditLog.ts"
import * as FairSender from "./FairSender.ts"
import * as fileHandlers from "./handlers/fs.ts"
import * as historyHandlers from "./handlers/history.ts"
import * as httpHandlers from "./handlers/http.ts"
import * as listHandlers from "./handlers/list.ts"
import * as processHandlers from "./handlers/process.ts"
import * as sessionHandlers from "./handlers/session.ts"
import * as waitHandlers from "./handlers/wait.ts"
import * as Handshake from "./Handshake.ts"
import * as Notifier from "./Notifier.ts"
import type { SandboxedFiles } from "./SandboxedFiles.ts"
import type { Tracing } from "./Tracing.ts"
import { type HandlerError, sessionTaken, toRpcError } from "./WireError.ts"

/** What the connections of a server share. */
export interface Shared {
  readonly limits: Limits
  /** The dialect in which a connection begins. */
  readonly dialect: Dialect
  readonly host: HostInfo
  /** Those of the spawner. */
  readonly capabilities: Capabilities
  /** What every request is confined to at least. */
  readonly floor: Confinement | undefined
  readonly environmentInfo: EnvironmentInfo
  /** True if output can be kept in files. */
  readonly keepsHistories: boolean
  readonly files: FilesService
  readonly sandboxed: SandboxedFiles
  readonly client: HttpClientService
  readonly sessions: SessionRegistry
  /** Whose processes clients may list. */
  readonly listed: Visible
  readonly tracing: Tracing
  /** Undefined if nothing is audited. */
  readonly auditLog: AuditLog | undefined
}

/** Serves the connection of that number until it ends; what it holds is released with the scope. */
export const serve = (
  transport: Transport,
  number: number,
  { dialect, sessions, limits, auditLog, sandboxed, client, ...shared }: Shared,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const handshake = Handshake.make<Session>(dialect)
    const sender = FairSender.make((message) => connection.write(message))
    const notifier = Notifier.make(sender, (processId) => handshake.dialect().events(processId))
    const fork = yield* FiberSet.makeRuntime<never>()
    const scope = yield* Effect.scope
    let taken = false
    const write = (text: string) => taken || connection.write(text)
    const holder: Holder = {
      taken: ({ id }) => {
        taken = true
        sender.stop()
        connection.leave(sessionTaken, notificationText("session/taken", { sessionId: id }))
        return notifier.close
      },
    }

    const { peer } = transport
    const sessionId = () => handshake.session()?.id
    const audit = yield* Auditing.make(auditLog, { connection: number, peer, session: sessionId })

    const router = Router.make<HandlerError>({
      dialect: handshake.dialect,
      platform: shared.host.platform,
      gate: yield* makeGate(handshake, sessions),
      toRpcError,
      handlers: {
        ...sessionHandlers.make({ ...shared, handshake, sessions, notifier, holder }),
        ...waitHandlers.make({ session: () => sessionOf(handshake) }),
        ...historyHandlers.make({ session: () => sessionOf(handshake) }),
        ...listHandlers.make({ session: () => sessionOf(handshake), sessions, listed: shared.listed }),
        ...processHandlers.make({ ...shared, limits, session: () => sessionOf(handshake), notifier, audit }),
        ...(yield* fileHandlers.make({
          ...shared,
          platform: shared.host.platform,
          sandboxed: audit.files(sandboxed),
          write,
        })),
        ...httpHandlers.make({ ...shared, client: audit.http(client), limits, sender, scope, fork }),
      },
    })
    const connection = yield* Connection.make(
      transport,
      {
        request: (request, context) => {
          const handle = () => router.handle(request.method, request.params, context)
          const decided = handshake.decide(request)
          const answer = decided === undefined ? handle() : Effect.flatMap(sessions.end(decided), handle)
          return shared.tracing.request(request, sessionId, answer)
        },
        slotted: router.slotted,
        cancellable: router.cancellable,
        notification: notified(handshake, (id) => connection.cancel(id)),
        get endsOnMalformed() {
          return handshake.dialect().endsOnMalformed
        },
        get endsOnStrayAnswer() {
          return handshake.dialect().endsOnStrayAnswer
        },
      },
      { concurrentRequests: limits.concurrentRequests, bounds: limits },
    )
    connection.onDrain(sender.drain)
    yield* Effect.addFinalizer(() => {
      notifier.close()
      const session = handshake.session()
      return session === undefined ? Effect.void : sessions.detach(session, holder)
    })
    yield* Effect.logDebug(`connected: ${transport.label}`)
    const why = yield* connection.run
    const session = handshake.session()
    const about = session === undefined ? {} : { session: session.id }
    yield* Effect.annotateLogs(Effect.logDebug(`disconnected: ${why}`), about)
  })

/** Takes a notification, which may change the handshake or `cancel` a request. */
const notified =
  (handshake: Handshake.Handshake<Session>, cancel: (id: RequestId) => void): Receiver["notification"] =>
  ({ method, params }) => {
    const taken = handshake.notification(method)
    const id = taken === "request/cancel" ? cancelledId(params) : undefined
    if (id !== undefined) cancel(id)
    return typeof taken === "string" || taken
  }

/** Lets a request of a family pass if the handshake does; without a handshake, binds the connection to a session. */
const makeGate = (
  handshake: Handshake.Handshake<Session>,
  sessions: SessionRegistry,
): Effect.Effect<(family: Family) => Effect.Effect<void, HandlerError>> =>
  Effect.map(Effect.makeSemaphore(1), (one) => {
    const bind = Effect.suspend(() =>
      handshake.session() === undefined ? Effect.map(sessions.openBound, handshake.bind) : Effect.void,
    ).pipe(Effect.uninterruptible, one.withPermits(1))
    return (family) => {
      const refusal = handshake.refusal(family)
      if (refusal !== undefined) return Effect.fail(refusal)
      return handshake.session() === undefined ? bind : Effect.void
    }
  })

const sessionOf = (handshake: Handshake.Handshake<Session>): Session => {
  const session = handshake.session()
  if (session === undefined) throw new Error("the gate lets no process method pass without a session")
  return session
}
