/**
 * One connection of a server, from its handshake to its end.
 *
 * However it ends, its session is detached and its waiting requests are cancelled; the children run on. If another
 * connection takes the session over, its waiting requests are refused, and it ends with `session/taken`. If the
 * dialect has no handshake, the first request that needs a session opens one, which ends with the connection.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Server } from "../features/Feature.ts"
import type { Join, Starts } from "../features/Features.ts"
import type { FilesService } from "../files/Files.ts"
import type { HttpClientService } from "../http/HttpClient.ts"
import type { Confinement } from "../protocol/Confinement.ts"
import * as Fork from "../protocol/Fork.ts"
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import type { RpcError } from "../protocol/ErrorCode.ts"
import type { Limits } from "../protocol/Limits.ts"
import type { MemoryPool } from "../protocol/MemoryPool.ts"
import * as SessionScope from "../protocol/SessionScope.ts"
import * as Turn from "../protocol/Turn.ts"
import type { Family } from "../protocol/Methods.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Receiver } from "../rpc/Connection.ts"
import * as Router from "../rpc/Router.ts"
import { cancelledId, notificationText, type Request, type RequestId } from "../protocol/Message.ts"
import type { Holder, Session, SessionRegistry } from "../session/SessionRegistry.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Auditing from "./audit/Auditing.ts"
import type { AuditLog } from "./audit/AuditLog.ts"
import * as FairSender from "./FairSender.ts"
import * as Handlers from "./Handlers.ts"
import * as Handshake from "./Handshake.ts"
import * as Notifier from "./Notifier.ts"
import type { SandboxedFiles } from "../features/fs/SandboxedFiles.ts"
import type { Tracing } from "./Tracing.ts"
import { type HandlerError, sessionTaken, toRpcError } from "./WireError.ts"

/** The state that the connections of a server share. */
export interface Shared {
  readonly limits: Limits
  /** The dialect in which a connection begins. */
  readonly dialect: Dialect
  /** The version of the embedding program. */
  readonly version: string
  /** Facts about the server, for a client with those rights. */
  readonly server: (scope: SessionScope.SessionScope) => Server
  /** The least confinement of every request. */
  readonly floor: Confinement | undefined
  readonly files: FilesService
  readonly sandboxed: SandboxedFiles
  readonly client: HttpClientService
  readonly sessions: SessionRegistry
  /** The rights of every client on the sessions of others. */
  readonly scope: SessionScope.SessionScope
  /** Undefined if nothing is traced. */
  readonly tracing: Tracing | undefined
  /** Joins the features to a connection. */
  readonly join: Join
  /** Memory for messages with output. */
  readonly outputs: MemoryPool
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
    const sender = FairSender.make(transport.write)
    const events: Dialect["events"] = (...of) => handshake.dialect().events(...of)
    const notifier = Notifier.make(sender, events, shared.outputs)
    let taken = false
    const write = (text: string) => taken || transport.write(text)
    const holder: Holder = {
      taken: ({ id }) => {
        taken = true
        sender.stop()
        connection.leave(sessionTaken, notificationText("session/taken", { sessionId: id }))
        features.close()
        return notifier.close
      },
      over: transport.close,
    }
    const session = () => sessionOf(handshake)

    const { peer } = transport
    const sessionId = () => handshake.session()?.id
    const audit = yield* Auditing.make(auditLog, { connection: number, peer, session: sessionId })
    const facts = shared.server(SessionScope.greater(shared.scope, peer?.scope ?? "own"))
    const server: Server = { ...facts, noteEgress: audit.egress }

    const features = shared.join({
      server,
      session,
      sessions,
      holder,
      sender,
      following: notifier,
      limits,
      files: shared.files,
      sandboxed: audit.files(sandboxed),
      client: audit.http(client),
      scope: yield* Effect.scope,
      fork: yield* Fork.inScope,
      write,
      call: (method, params) => connection.call(method, params),
      send: sender.send,
      audit,
    })

    const router = Router.make<HandlerError>({
      dialect: handshake.dialect,
      platform: server.host.platform,
      gate: yield* makeGate(handshake, sessions),
      toRpcError,
      handlers: Handlers.make({
        ...shared,
        server,
        handshake,
        sessions,
        notifier,
        holder,
        place: transport.place,
        features,
        session,
        audit,
      }),
    })
    const connection = yield* Connection.make(
      transport,
      receiver(handshake, router, {
        cancel: (id) => connection.cancel(id),
        loading: features.loading,
        request: (request, answer) => {
          const decided = handshake.decide(request)
          const answered =
            decided === undefined ? answer : () => Effect.flatMap(sessions.end(decided), answer)
          return shared.tracing === undefined
            ? answered()
            : shared.tracing.request(request, sessionId, answered)
        },
      }),
      { concurrentRequests: limits.concurrentRequests, bounds: limits },
    )
    connection.onDrain(sender.drain)
    yield* Effect.addFinalizer(() => {
      // The taker of the session calls it when it follows the processes itself.
      if (!taken) notifier.close()
      features.close()
      const session = handshake.session()
      return session === undefined ? Effect.void : sessions.detach(session, holder)
    })
    yield* Effect.logDebug(`connected: ${transport.label}`)
    const why = yield* connection.run
    yield* Effect.annotateLogs(Effect.logDebug(`disconnected: ${why}`), aboutSession(sessionId()))
  })

const aboutSession = (session: string | undefined) => (session === undefined ? {} : { session })

/** Handles the messages that arrive on the connection. */
const receiver = (
  handshake: Handshake.Handshake<Session>,
  router: Router.Router,
  { cancel, loading, request }: Receiving,
): Receiver => ({
  loading: ({ method, params }) => loading(method, params),
  request: (asked, context) => request(asked, () => router.handle(asked.method, asked.params, context)),
  slotted: router.slotted,
  cancellable: router.cancellable,
  notification: notified(handshake, cancel),
  get endsOnMalformed() {
    return handshake.dialect().endsOnMalformed
  },
  get endsOnStrayAnswer() {
    return handshake.dialect().endsOnStrayAnswer
  },
})

interface Receiving {
  readonly cancel: (id: RequestId) => void
  readonly loading: Starts["loading"]
  /** Stands around the answer to a request. */
  readonly request: (
    request: Request,
    answer: () => Effect.Effect<string, RpcError>,
  ) => Effect.Effect<string, RpcError>
}

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
  Effect.sync(() => {
    const one = Turn.make()
    const bind = Effect.suspend(() =>
      handshake.session() === undefined ? Effect.map(sessions.openBound, handshake.bind) : Effect.void,
    ).pipe(Effect.uninterruptible, one)
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
