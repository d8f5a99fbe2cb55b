/** Opens connections for a client, each in a scope of its own and with its handshake. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import type { Transport, TransportError } from "../transport/Transport.ts"
import { ClientError } from "./ClientError.ts"
import * as SessionConnection from "./SessionConnection.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError | ClientError, Scope.Scope>

/**
 * What connections are made with.
 * @internal
 */
export interface Options extends Omit<SessionConnection.Options, "initialize"> {
  readonly clientName: string
}

/**
 * A connection, and its end.
 * @internal
 */
export interface Live {
  readonly connection: SessionConnection.SessionConnection
  readonly close: Effect.Effect<void>
}

/**
 * Opens a connection by an `initialize`, within `limit`.
 * @internal
 */
export type Connect = (
  initialize: Omit<SessionConnection.Options["initialize"], "clientName">,
  limit?: Duration.DurationInput,
) => Effect.Effect<Live, ClientError>

const sequential = ExecutionStrategy.sequential

/**
 * Opens connections in one scope: what is acquired after their client is released before the last of them. Only the
 * wait for a connection may be interrupted: one that nobody gets would hold the session.
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
            Effect.flatMap((transport) => SessionConnection.make(transport, settings)),
            Scope.extend(own),
            limit === undefined ? identity : Effect.timeoutFail({ duration: limit, onTimeout: noAnswer }),
            restore,
            Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
          )
          return { connection, close: Scope.close(own, Exit.void) }
        }),
      )
  })

const noAnswer = () => new ClientError({ reason: "Timeout", message: "no answer in time" })

/**
 * A failure to open the transport, as `Connect`.
 * @internal
 */
export const toClientError = (error: TransportError | ClientError): ClientError =>
  error._tag === "ClientError"
    ? error
    : new ClientError({ reason: "Connect", message: error.message, cause: error })
