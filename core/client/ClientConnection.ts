/**
 * One connection of a client in any dialect, from its handshake to its loss.
 *
 * Unknown notifications are ignored and unknown requests of the server are refused. A malformed notification of a known
 * method ends the connection; an error without the id of a request does not.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Fork from "../protocol/Fork.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Transport } from "../transport/Transport.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as Heartbeat from "./Heartbeat.ts"
import type { FlowControl } from "./FlowControl.ts"
import type { Answering } from "./Policy.ts"
import * as WellFormed from "./WellFormed.ts"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** Sends a request and waits for its result. Fails with `Server`, or with `Disconnected` if the connection ends. */
export type Ask = (
  method: string,
  params: unknown,
  sent?: Connection.Sent,
) => Effect.Effect<Json, ClientError>

export interface Options<A> {
  /** Sends the first request; the connection is established when it succeeds. */
  readonly initialize: (ask: Ask) => Effect.Effect<A, ClientError>
  /** Deadline of the handshake. */
  readonly timeout: Duration.Input
  readonly flow: FlowControl
  /** Takes a notification; as a failure, what is malformed. Undefined for an unknown method. */
  readonly take: (method: string, params: Json) => Result.Result<void, string> | undefined
  /** Answers `network/policyRequest`; without it nothing is allowed. */
  readonly answer?: Answering | undefined
  /** The silence after which the server is asked; undefined if it never is. */
  readonly heartbeat?: Duration.Duration | undefined
  /** True for a server that delays no answer by another request. */
  readonly concurrent?: (greeting: A) => boolean
  /** The methods of which the server hears that no answer is awaited any more. By default none. */
  readonly cancels?: (greeting: A) => (method: string) => boolean
}

export interface ClientConnection<A> {
  /** The result of `initialize`. */
  readonly greeting: A
  readonly ask: Ask
  /** Takes nothing more from the server while held. */
  readonly hold: (held: boolean) => void
  /** Completes with the reason when the connection has ended. */
  readonly lost: Effect.Effect<string>
}

/** The requests of the server that are answered at the same time. */
const concurrentRequests = 16

/** Makes the handshake over a transport; the scope ends the connection. */
export const make = <A>(
  transport: Transport,
  { initialize, timeout, flow, take, answer, heartbeat, concurrent = () => false, cancels }: Options<A>,
): Effect.Effect<ClientConnection<A>, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const lost = Deferred.makeUnsafe<string>()
    const echoed = Deferred.makeUnsafe<never, ClientError>()
    const fork = yield* Fork.inScope
    let cancelled = (_method: string) => false
    let fault: string | undefined
    let messages = 0
    let awaited = 0
    const { incoming, received } = transport
    const cut = transport.cut ?? incoming
    const takeAll = Effect.map(cut.takeAll, (taken) => {
      messages += 1
      return taken
    })

    const connection = yield* Connection.make(
      { ...transport, cut: { takeAll } },
      {
        request: ({ method, params }) => {
          // No server calls this: the peer sends back what it gets, as `cat` does.
          if (method === "initialize") Deferred.doneUnsafe(echoed, Effect.fail(echo()))
          if (method !== "network/policyRequest") return Effect.fail(refused(method))
          return answer === undefined ? Effect.succeed(denied) : answer(params)
        },
        slotted: () => false,
        notification: ({ method, params }) => {
          const taken = take(method, params)
          if (taken === undefined || Result.isSuccess(taken)) return true
          fault = `malformed ${method} notification: ${taken.failure}`
          return false
        },
        endsOnMalformed: true,
        unaddressed: ({ code, message }) =>
          void fork(Effect.logWarning(`the server has sent an error of no request: ${message} (${code})`)),
      },
      { concurrentRequests, cancels: (method) => cancelled(method) },
    )
    yield* Effect.forkScoped(Effect.flatMap(connection.run, (why) => Deferred.succeed(lost, fault ?? why)))

    const ask: Ask = (method, params, sent) =>
      Effect.suspend((): Effect.Effect<Json, ErrorCode.RpcError | Connection.Disconnected | ClientError> => {
        const refusal = WellFormed.refusal(params)
        if (refusal !== undefined) return Effect.fail(refusal)
        awaited += 1
        flow.requestSent()
        const done = Effect.sync(() => {
          awaited -= 1
          flow.requestDone()
        })
        return Effect.ensuring(connection.call(method, params, sent), done)
      }).pipe(Effect.mapError((error) => failed(error, fault)))

    const greeting = yield* initialize(ask).pipe(
      Effect.raceFirst(Deferred.await(echoed)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => clientError("Timeout", "timed out waiting for the initialize handshake"),
      }),
    )
    if (cancels !== undefined) cancelled = cancels(greeting)
    const initialized = Message.notificationText("initialized", {})
    connection.write(initialized)
    if (heartbeat !== undefined) {
      const line: Heartbeat.Line = {
        received: () => messages + (received?.() ?? 0),
        held: flow.held,
        busy: () => awaited > 0 && !concurrent(greeting),
        // There is no count of bytes then, only of messages.
        slow: () => awaited > 0 && received === undefined,
        ask: () => fork(Effect.ignore(connection.call("environment/status", {}))),
        // May be repeated, says the protocol.
        show: () => connection.write(initialized),
      }
      const gone = Effect.suspend(() => {
        fault = `the server has been silent for ${Duration.format(Duration.times(heartbeat, 2))}`
        return transport.close
      })
      fork(Effect.andThen(Heartbeat.watch(heartbeat, line), gone))
    }
    return { greeting, ask, hold: connection.hold, lost: Deferred.await(lost) }
  })

/** The failure of a call; `fault` is what the server has done wrong. */
const failed = (
  error: ErrorCode.RpcError | Connection.Disconnected | ClientError,
  fault: string | undefined,
): ClientError => {
  if (error._tag === "ClientError") return error
  if (error._tag === "Disconnected") return disconnected(fault ?? error.message, error)
  if (error.code === ErrorCode.sessionTaken) return taken(error)
  const { code, data, message } = error
  const kind = ErrorCode.kindOf(data)
  return clientError("Server", message, {
    code,
    rpcCode: code,
    ...(kind === undefined ? {} : { kind }),
    cause: error,
  })
}

/** The error of every request on a connection that has ended. */
export const disconnected = (why: string, cause?: Connection.Disconnected) =>
  clientError("Disconnected", `exec-server transport disconnected: ${why}`, { cause })

/** The same on a connection whose session another one has taken over. */
export const taken = (cause?: unknown) =>
  clientError("Disconnected", `exec-server transport disconnected: ${takenOver}`, {
    code: ErrorCode.sessionTaken,
    rpcCode: ErrorCode.sessionTaken,
    cause,
  })

/** Why a connection is lost whose session another one has taken over. */
export const takenOver = "another connection has taken the session over"

const echo = () => clientError("Protocol", "the peer is no exec-server: it sends back what it gets")

/** Without a policy to ask, a process may not reach any host that needs permission. */
const denied = JSON.stringify({ decision: { type: "deny", reason: "the client allows nothing" } })

const refused = (method: string) =>
  new ErrorCode.RpcError({
    code: ErrorCode.methodNotFound,
    message: `exec-server client does not implement \`${method}\``,
  })

/** The error of calls that wait when their client is closed. */
export const clientClosed = disconnected("the client was closed")

/**
 * The outcome of a fiber of the client. Its interruption is the end of the client, and fails: who waits was not
 * interrupted.
 */
export const outcome = <A>(fiber: Fiber.Fiber<A, ClientError>): Effect.Effect<A, ClientError> =>
  Effect.flatMap(Fiber.await(fiber), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.fail(clientClosed) : exit,
  )
