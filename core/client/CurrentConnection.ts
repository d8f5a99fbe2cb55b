/**
 * The target of a client's requests: the current connection, the next one while a lost one is being replaced (or will
 * be, once it is wanted), or none once there will be no connection any more.
 *
 * A request whose response was lost with the connection is sent again on the next one if it is safe to repeat. If
 * not, it fails with `Disconnected`: the server may have carried it out or not. One that could not be sent any
 * more waits for the next connection.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Json } from "../protocol/Json.ts"
import { Disconnected, type Sent } from "../rpc/Connection.ts"
import type { ClientConnection } from "./ClientConnection.ts"
import type { ClientError } from "./ClientError.ts"

/** The error of a request that must not be sent any more, if so. */
export type Refusal = () => ClientError | undefined

/** Options of a request. */
export interface Asking {
  /** Is asked each time before it is sent. */
  readonly refusal?: Refusal
  /** Is called each time when it is sent. */
  readonly sent?: Sent
}

/** The destination of the requests of one client. */
export type CurrentConnection = ReturnType<typeof make>

type Connection = Pick<ClientConnection<unknown>, "ask" | "hold">

interface Current extends Connection {
  /** Opens when the loss is known here: only then does asking again not reach the same connection. */
  readonly over: Latch.Latch
}

/** No connection yet: requests wait. */
export const make = () => {
  const disconnected = Deferred.makeUnsafe<ClientError>()
  /** Open while a request waits for a connection. */
  const wanted = Latch.makeUnsafe(false)
  /** Completes when there is a connection, or none will come; fails if this time there is none. */
  let settled = Deferred.makeUnsafe<void, ClientError>()
  let current: Current | undefined
  let ended: ClientError | undefined

  /** Sends a request; waits for a connection if one is to come. */
  const ask = (
    method: string,
    params: unknown,
    repeatable: boolean,
    { refusal, sent }: Asking = {},
  ): Effect.Effect<Json, ClientError> => {
    const again: Effect.Effect<Json, ClientError> = Effect.suspend(() => {
      const error = ended ?? refusal?.()
      if (error !== undefined) return Effect.fail(error)
      if (current === undefined) {
        wanted.openUnsafe()
        return Effect.andThen(behind(Deferred.await(settled)), again)
      }
      const { over } = current
      return Effect.catchIf(current.ask(method, params, sent), isLoss, (error) =>
        repeatable || isUnsent(error) ? Effect.andThen(behind(over.await), again) : Effect.fail(error),
      )
    })
    return again
  }

  const leave = () => {
    current?.over.openUnsafe()
    current = undefined
  }

  return {
    ask,
    /** Sends a request whose result does not matter, on this connection or not at all. False if the server refuses it. */
    tell: (method: string, params: unknown): Effect.Effect<boolean> =>
      Effect.suspend(() =>
        current === undefined
          ? Effect.succeed(true)
          : Effect.match(current.ask(method, params), { onSuccess: () => true, onFailure: isLoss }),
      ),
    /** Takes nothing more from the server while held. */
    hold: (held: boolean): void => current?.hold(held),
    /** Requests go to this connection from now on. */
    connected: ({ ask, hold }: Connection): void => {
      current = { ask, hold, over: Latch.makeUnsafe(false) }
      wanted.closeUnsafe()
      Deferred.doneUnsafe(settled, Effect.void)
    },
    /** The current connection is lost, and will be replaced: requests wait. */
    lost: (): void => {
      settled = Deferred.makeUnsafe()
      leave()
    },
    /** Completes when a request waits for a connection. */
    wanted: behind(wanted.await),
    /** No connection could be made: the requests that wait for one fail. Later ones wait again. */
    refused: (error: ClientError): void => {
      wanted.closeUnsafe()
      Deferred.doneUnsafe(settled, Effect.fail(error))
      settled = Deferred.makeUnsafe()
    },
    /** There will be no connection any more. False if that was known before. */
    end: (error: ClientError): boolean => {
      if (ended !== undefined) return false
      ended = error
      leave()
      Deferred.doneUnsafe(settled, Effect.void)
      Deferred.doneUnsafe(disconnected, Effect.succeed(error))
      return true
    },
    /** Why there will be no connection any more. */
    ended: () => ended,
    /** Completes with that error. */
    disconnected: Deferred.await(disconnected),
  }
}

/**
 * A wait for one of these changes: whoever is woken would run in the middle of what the waker does, and goes on behind
 * it.
 */
const behind = <A, E>(wait: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.onExit(wait, () => Effect.yieldNow)

/** True if the connection had ended before the request: it is lost, although that is not known here yet. */
const isUnsent = ({ cause }: ClientError): boolean => cause instanceof Disconnected && !cause.sent

const isLoss = ({ reason }: ClientError): boolean => reason === "Disconnected"
