/** Opens connections of the current wire for a client, each in a scope of its own and with its handshake. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import * as Methods from "../protocol/Methods.ts"
import type { InitializeResult } from "../protocol/Session.ts"
import type { Transport, TransportError } from "../transport/Transport.ts"
import * as Calls from "./Calls.ts"
import * as ClientConnection from "./ClientConnection.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as EventRecovery from "./EventRecovery.ts"
import type { FileWatch } from "./FileWatch.ts"
import type { FlowControl } from "./FlowControl.ts"
import type { FollowedProcesses } from "./FollowedProcesses.ts"
import type { Answering } from "./Policy.ts"
import type { HttpBodies } from "./RemoteHttp.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError | ClientError, Scope.Scope>

/**
 * Options of connections, and the parts of the client that take their notifications.
 * @internal
 */
export interface Options {
  readonly clientName: string
  /** Deadline of the handshake. */
  readonly timeout: Duration.Input
  readonly heartbeat: Duration.Duration | undefined
  /** Answers `network/policyRequest`. */
  readonly answer: Answering | undefined
  readonly flow: FlowControl
  readonly processes: FollowedProcesses
  readonly bodies: HttpBodies
  readonly watches: FileWatch
}

type Initialize = Calls.Encoded<"initialize">

/**
 * A connection, and its end.
 * @internal
 */
export interface Live {
  readonly connection: SessionConnection
  readonly close: Effect.Effect<void>
}

/**
 * Opens a connection by an `initialize`, within `limit`.
 * @internal
 */
export type Connect = (
  initialize: Omit<Initialize, "clientName">,
  limit?: Duration.Input,
) => Effect.Effect<Live, ClientError>

const sequential = "sequential"

/**
 * Opens connections in one scope: what is acquired after their client is released before the last of them. Only the
 * wait for a connection may be interrupted: one without an owner would hold the session.
 * @internal
 */
export const make = (open: Open, options: Options): Effect.Effect<Connect, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, sequential)
    return (initialize, limit) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const own = yield* Scope.fork(scope, sequential)
          const params = { clientName: options.clientName, ...initialize }
          const connection = yield* Effect.mapError(open, toClientError).pipe(
            Effect.flatMap((transport) => handshake(transport, params, options)),
            Scope.provide(own),
            limit === undefined ? identity : Effect.timeoutOrElse({ duration: limit, orElse: noAnswer }),
            restore,
            Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
          )
          return { connection, close: Scope.close(own, Exit.void) }
        }),
      )
  })

const noAnswer = () => clientError("Timeout", "no answer in time")

/**
 * A failure to open the transport, as `Connect`.
 * @internal
 */
export const toClientError = (error: TransportError | ClientError): ClientError =>
  error._tag === "ClientError" ? error : clientError("Connect", error.message, { cause: error })

/**
 * One connection: its session, and its notifications, dispatched by method.
 * @internal
 */
export interface SessionConnection
  extends InitializeResult, Omit<ClientConnection.ClientConnection<unknown>, "greeting"> {
  /** True once another connection has taken the session over. */
  readonly taken: () => boolean
}

/** Makes the handshake over a transport; the scope ends the connection. */
const handshake = (
  transport: Transport,
  initialize: Initialize,
  { timeout, flow, answer, heartbeat, processes, bodies, watches }: Options,
): Effect.Effect<SessionConnection, ClientError, Scope.Scope> =>
  Effect.suspend(() => {
    let taken = false
    const line = ClientConnection.make(transport, {
      initialize: (ask) => Calls.make((method, params) => ask(method, params))("initialize", initialize),
      timeout,
      flow,
      answer,
      heartbeat,
      concurrent: ({ environmentInfo }) => environmentInfo.capabilities?.sessionTakeover === true,
      cancels: ({ environmentInfo }) =>
        environmentInfo.capabilities?.requestCancel === true ? Methods.isCancellable : () => false,
      take: (method, params) => {
        if (!Methods.isServerNotification(method)) return undefined
        if (method === "http/request/bodyDelta")
          return Result.map(FromServer.notification(method, params), bodies.accept)
        if (method === "fs/missingChanged") return Result.succeed(watches.changed(params))
        if (method === "session/taken") taken = true
        return EventRecovery.isOfProcess(method)
          ? Result.map(EventRecovery.decode(method, params), processes.accept)
          : Result.void
      },
    })
    return Effect.map(line, ({ greeting, ...line }) => ({
      ...greeting,
      ...line,
      taken: () => taken,
      lost: Effect.map(line.lost, (why) => (taken ? ClientConnection.takenOver : why)),
    }))
  })
