/** Opens connections of the current wire for a client, each in a scope of its own and with its handshake. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import type { BodyDeltaParams } from "../features/http/wire.ts"
import type { Json } from "../protocol/Json.ts"
import * as Methods from "../protocol/Methods.ts"
import type { InitializeResult } from "../protocol/Session.ts"
import type { Transport, TransportError } from "../transport/Transport.ts"
import * as Calls from "./Calls.ts"
import * as ClientConnection from "./ClientConnection.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import type { FlowControl } from "./FlowControl.ts"
import * as EventRecovery from "./EventRecovery.ts"
import type { Answering } from "./Policy.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError | ClientError, Scope.Scope>

/**
 * Options of connections.
 * @internal
 */
export interface Options extends Omit<SessionOptions, "initialize"> {
  readonly clientName: string
}

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
  initialize: Omit<SessionOptions["initialize"], "clientName">,
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
          const settings = { ...options, initialize: { clientName: options.clientName, ...initialize } }
          const connection = yield* Effect.mapError(open, toClientError).pipe(
            Effect.flatMap((transport) => handshake(transport, settings)),
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
 * Options of one connection.
 * @internal
 */
export interface SessionOptions {
  readonly initialize: Calls.Encoded<"initialize">
  /** Deadline of the handshake. */
  readonly timeout: Duration.Input
  readonly flow: FlowControl
  readonly heartbeat: Duration.Duration | undefined
  /** Takes each event of each process as it arrives. */
  readonly accept: (received: EventRecovery.Received) => void
  /** Takes each frame of a streamed body as it arrives. */
  readonly frame: (frame: BodyDeltaParams) => void
  /** Answers `network/policyRequest`. */
  readonly answer: Answering | undefined
  /** Takes the params of `fs/missingChanged`. */
  readonly appeared: (params: Json) => void
}

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
  { initialize, timeout, flow, answer, heartbeat, accept, frame, appeared }: SessionOptions,
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
          return Result.map(FromServer.notification(method, params), frame)
        if (method === "fs/missingChanged") return Result.succeed(appeared(params))
        if (method === "session/taken") taken = true
        return EventRecovery.isOfProcess(method)
          ? Result.map(EventRecovery.decode(method, params), accept)
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
