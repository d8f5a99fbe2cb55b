/**
 * Connects a client, and replaces its connection when that is lost.
 *
 * After a loss the session is resumed on a new connection. While the server cannot be reached, or has not noticed the
 * loss yet, that is tried again as the policy says; any other answer is final for the session. That ends the client,
 * or its next request begins a new session (`onSessionLost`). `CurrentConnection` says what happens to requests
 * meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import type { Transport, TransportError } from "../transport/Transport.ts"
import { disconnected } from "./ClientConnection.ts"
import { ClientError } from "./ClientError.ts"
import type { CurrentConnection } from "./CurrentConnection.ts"
import * as ReconnectPolicy from "./ReconnectPolicy.ts"
import * as SessionConnection from "./SessionConnection.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError | ClientError, Scope.Scope>

/** The state of a client's connection, for display. `message` says why. */
export type Status =
  /** The connection is replaced, and the session resumed. */
  | { readonly kind: "connected" }
  /** Lost; a new one is being opened. */
  | { readonly kind: "reconnecting"; readonly message: string }
  /** The session is lost, and its processes with it: the next call begins a new one. With `onSessionLost: "new"`. */
  | { readonly kind: "sessionLost"; readonly message: string }
  /** A new session has begun. */
  | { readonly kind: "newSession"; readonly sessionId: string }
  /** Lost for good. */
  | { readonly kind: "failed"; readonly message: string }

/** What a client does when its session cannot be resumed: it ends, or begins a new one with its next call. */
export type OnSessionLost = "end" | "new"

/**
 * What `ExecClient` connects with.
 * @internal
 */
export interface Options extends Omit<SessionConnection.Options, "initialize"> {
  /** Without it the first loss is final. */
  readonly policy: ReconnectPolicy.ReconnectPolicy | undefined
  readonly clientName: string
  readonly resumeSessionId: string | null
  readonly onSessionLost: OnSessionLost
  /** Deadline of each handshake, and of each attempt to reconnect as a whole. */
  readonly timeout: Duration.DurationInput
  /** The last seq of each process that is to be replayed. */
  readonly lastSeqs: () => Readonly<Record<string, number>>
  /** The credit of each process on the connection that is about to resume them, if any has one. */
  readonly credits: () => Readonly<Record<string, number>> | undefined
  /** The session goes on, on a new connection. `replays` is true if the server pushes the missed events. */
  readonly resumed: (replays: boolean) => void
  /** The session is lost, and with it its processes. */
  readonly sessionLost: (error: ClientError) => void
  /** The connection is lost, and with it everything on it but processes. */
  readonly lost: (error: ClientError) => void
  /** There will be no connection any more. */
  readonly failed: (error: ClientError) => void
  readonly onStatus: ((status: Status) => void) | undefined
}

/**
 * The session that the connections belong to. Another one takes its place with `onSessionLost: "new"`.
 * @internal
 */
export type Session = Pick<SessionConnection.SessionConnection, "sessionId" | "environmentInfo">

/** How long the end of a lost connection is waited for. */
const closeDeadline = "1 second"

interface Live {
  readonly connection: SessionConnection.SessionConnection
  readonly close: Effect.Effect<void>
}

/**
 * Connects once, then keeps `current` connected; the scope ends it.
 * @internal
 */
export const make = (
  open: Open,
  current: CurrentConnection,
  options: Options,
): Effect.Effect<() => Session, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const { policy, flow } = options
    // One scope for all connections: what is acquired after this client is released before the last of them.
    const connect = connector(open, options, yield* Scope.fork(yield* Effect.scope, sequential))
    const first = yield* connect({ resumeSessionId: options.resumeSessionId })
    let session: Session = first.connection
    const replays = () => session.environmentInfo.capabilities?.sessionReplay === true

    const use = ({ connection }: Live) => {
      session = connection
      connection.hold(flow.held())
      current.connected(connection)
    }

    const end = (message: string) => {
      const error = disconnected(message)
      if (!current.end(error)) return
      options.lost(error)
      options.failed(error)
    }

    const resume = (leftMillis: number) =>
      Effect.suspend(() => {
        const replayAfter = replays() ? { replayAfter: options.lastSeqs() } : {}
        const credit = options.credits()
        return connect(
          {
            resumeSessionId: session.sessionId,
            ...replayAfter,
            ...(credit === undefined ? {} : { credit }),
          },
          within(leftMillis, options),
        )
      })

    /** Ends with the reason when there will be no connection any more. */
    const supervise = Effect.gen(function* () {
      const outages = ReconnectPolicy.outages(policy ?? {})
      for (let live = first; ;) {
        const since = yield* Clock.currentTimeMillis
        const why = yield* live.connection.lost
        if (policy === undefined) return why
        options.lost(disconnected(why))
        current.lost()
        yield* report(options, { kind: "reconnecting", message: why })
        yield* Effect.timeoutOption(Effect.disconnect(live.close), closeDeadline)
        const lived = (yield* Clock.currentTimeMillis) - since
        const outage = yield* outages.after(lived, options.lastSeqs())
        const next = yield* Effect.either(outage.retry(resume))
        if (Either.isRight(next)) {
          live = next.right
          use(live)
          options.resumed(replays())
          yield* report(options, { kind: "connected" })
          continue
        }
        const message = `${why}; failed to resume exec-server session: ${next.left.message}`
        if (options.onSessionLost === "end") return message
        if (next.left.reason === "Timeout") current.refused(disconnected(message))
        live = yield* renew(connect, current, { ...options, policy }, message)
        use(live)
        yield* report(options, { kind: "newSession", sessionId: session.sessionId })
      }
    })

    use(first)
    yield* supervise.pipe(
      Effect.tap((message) => Effect.sync(() => end(message))),
      Effect.flatMap((message) => report(options, { kind: "failed", message })),
      Effect.onInterrupt(() => Effect.sync(() => end("the client was closed"))),
      Effect.interruptible,
      Effect.forkScoped,
    )
    return () => session
  })

type Connect = ReturnType<typeof connector>

/** Begins a new session when a request wants one. Where that fails, so do the requests that wait. */
const renew = (
  connect: Connect,
  current: CurrentConnection,
  options: Options & { readonly policy: ReconnectPolicy.ReconnectPolicy },
  message: string,
): Effect.Effect<Live> =>
  Effect.gen(function* () {
    options.sessionLost(
      new ClientError({ reason: "SessionLost", message: `the session is lost: ${message}` }),
    )
    yield* report(options, { kind: "sessionLost", message })
    for (;;) {
      yield* current.wanted
      const { retry } = yield* ReconnectPolicy.begin(options.policy)
      const next = yield* Effect.either(
        retry((leftMillis) => connect({ resumeSessionId: null }, within(leftMillis, options))),
      )
      if (Either.isRight(next)) return next.right
      current.refused(next.left)
    }
  })

/** How long an attempt may take. */
const within = (leftMillis: number, { timeout }: Options) =>
  Duration.min(Duration.millis(leftMillis), timeout)

const sequential = ExecutionStrategy.sequential

/**
 * Opens a connection in a child of `scope`, within `limit`. Only the wait may be interrupted: a connection that nobody
 * gets would hold the session.
 */
const connector =
  (open: Open, options: Options, scope: Scope.Scope) =>
  (
    initialize: Omit<SessionConnection.Options["initialize"], "clientName">,
    limit?: Duration.DurationInput,
  ): Effect.Effect<Live, ClientError> =>
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

/** An `onStatus` that throws is logged; the connection goes on. */
const report = ({ onStatus }: Options, status: Status) =>
  Effect.catchAllCause(
    Effect.sync(() => onStatus?.(status)),
    (cause) => Effect.logWarning("onStatus has failed", cause),
  )

const noAnswer = () => new ClientError({ reason: "Timeout", message: "no answer in time" })

/**
 * A failure to open the transport, as `Connect`.
 * @internal
 */
export const toClientError = (error: TransportError | ClientError): ClientError =>
  error._tag === "ClientError"
    ? error
    : new ClientError({ reason: "Connect", message: error.message, cause: error })
