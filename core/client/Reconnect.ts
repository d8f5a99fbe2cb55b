/**
 * Connects a client, and replaces its connection when that is lost.
 *
 * After a loss the session is resumed on a new connection. While the server cannot be reached, or has not noticed the
 * loss yet, that is tried again as the policy says; any other answer is final for the session, and so is another
 * connection that has taken it over. That ends the client, or its next request begins a new session (`onSessionLost`).
 * `CurrentConnection` says what happens to requests meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { abandonable } from "../protocol/Abandon.ts"
import { clientClosed, disconnected, taken } from "./ClientConnection.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as Connector from "./Connector.ts"
import type { CurrentConnection } from "./CurrentConnection.ts"
import * as ReconnectPolicy from "./ReconnectPolicy.ts"

export type { Open } from "./Connector.ts"

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

/** The answer of a client to a session that cannot be resumed: it ends, or begins a new one with its next call. */
export type OnSessionLost = "end" | "new"

/**
 * Options of the connections of `ExecClient`.
 * @internal
 */
export interface Options extends Connector.Options {
  /** Without it the first loss is final. */
  readonly policy: ReconnectPolicy.ReconnectPolicy | undefined
  readonly resumeSessionId: string | null
  /** True to take the session from the connection that has it. */
  readonly takeover: boolean
  readonly onSessionLost: OnSessionLost
  /** Deadline of each handshake, and of each attempt to reconnect as a whole. */
  readonly timeout: Duration.Input
  readonly onStatus: ((status: Status) => void) | undefined
}

/**
 * The session that the connections belong to. Another one takes its place with `onSessionLost: "new"`.
 * @internal
 */
export type Session = Pick<Connector.SessionConnection, "sessionId" | "environmentInfo">

/** A first connection that is lost before it has its session has begun nothing. */
const isClosing = ({ reason }: ClientError) => reason === "Disconnected"

/** The wait for the end of a lost connection. */
const closeDeadline = "1 second"

/**
 * Connects once, then keeps `current` connected; the scope ends it.
 * @internal
 */
export const make = (
  open: Connector.Open,
  current: CurrentConnection,
  options: Options,
): Effect.Effect<() => Session, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const { policy, flow, processes, bodies, watches } = options
    const connect = yield* Connector.make(open, options)
    const { resumeSessionId, takeover } = options
    const connecting = connect({ resumeSessionId, ...(takeover ? { takeover } : {}) })
    // A door that is about to close may still open: the next one is tried then, once.
    const first = yield* policy === undefined
      ? connecting
      : Effect.catchIf(connecting, isClosing, () => connecting)
    let session: Session = first.connection

    const use = ({ connection }: Connector.Live) => {
      session = connection
      connection.hold(flow.held())
      current.connected(connection)
    }

    /** The connection is lost, and with it everything on it but processes. */
    const lose = (error: ClientError) => {
      bodies.fail(error)
      watches.lost(error)
    }

    const end = (error: ClientError) => {
      if (!current.end(error)) return
      lose(error)
      processes.fail(error)
    }

    const resume = (leftMillis: number) =>
      Effect.suspend(() => connect(resumption(session, options), within(leftMillis, options)))

    /** Ends with the reason, and the error of every call, when there will be no connection any more. */
    const supervise = Effect.gen(function* () {
      const outageOf = ReconnectPolicy.outages(policy ?? {})
      for (let live = first; ;) {
        const since = yield* Clock.currentTimeMillis
        const why = yield* live.connection.lost
        const lost = live.connection.taken() ? taken() : undefined
        if (policy === undefined || (lost !== undefined && options.onSessionLost === "end")) {
          return [why, lost ?? disconnected(why)] as const
        }
        lose(disconnected(why))
        current.lost()
        if (lost === undefined) yield* report(options, { kind: "reconnecting", message: why })
        yield* Effect.timeoutOption(abandonable(live.close), closeDeadline)
        const lived = (yield* Clock.currentTimeMillis) - since
        const retry = yield* outageOf(lived, processes.lastSeqs())
        const next = yield* Effect.result(lost === undefined ? retry(resume) : Effect.fail(lost))
        if (Result.isSuccess(next)) {
          live = next.success
          use(live)
          processes.resume(can(session, "sessionReplay"))
          yield* report(options, { kind: "connected" })
          continue
        }
        const message = `${why}; failed to resume exec-server session: ${next.failure.message}`
        if (options.onSessionLost === "end") return [message, disconnected(message)] as const
        if (next.failure.reason === "Timeout") current.refused(disconnected(message))
        live = yield* renew(connect, current, { ...options, policy }, message)
        use(live)
        processes.renew()
        yield* report(options, { kind: "newSession", sessionId: session.sessionId })
      }
    })

    use(first)
    yield* supervise.pipe(
      Effect.tap(([, error]) => Effect.sync(() => end(error))),
      Effect.flatMap(([message]) => report(options, { kind: "failed", message })),
      Effect.onInterrupt(() => Effect.sync(() => end(clientClosed))),
      Effect.interruptible,
      // At once: an end that comes before it has begun would not be reported.
      Effect.forkScoped({ startImmediately: true }),
    )
    return () => session
  })

const can = ({ environmentInfo }: Session, capability: "sessionReplay" | "sessionTakeover"): boolean =>
  environmentInfo.capabilities?.[capability] === true

/** The params that resume a session, as far as its server can. */
const resumption = (session: Session, { processes }: Options) => {
  const credit = processes.credits()
  return {
    resumeSessionId: session.sessionId,
    ...(can(session, "sessionReplay") ? { replayAfter: processes.lastSeqs() } : {}),
    // The server may count the lost connection as open: a changed network is silent.
    ...(can(session, "sessionTakeover") ? { takeover: true } : {}),
    ...(credit === undefined ? {} : { credit }),
  }
}

/** Begins a new session when a request wants one. If that fails, so do the requests that wait. */
const renew = (
  connect: Connector.Connect,
  current: CurrentConnection,
  options: Options & { readonly policy: ReconnectPolicy.ReconnectPolicy },
  message: string,
): Effect.Effect<Connector.Live> =>
  Effect.gen(function* () {
    options.processes.lose(clientError("SessionLost", `the session is lost: ${message}`))
    yield* report(options, { kind: "sessionLost", message })
    for (;;) {
      yield* current.wanted
      const retry = yield* ReconnectPolicy.begin(options.policy)
      const next = yield* Effect.result(
        retry((leftMillis) => connect({ resumeSessionId: null }, within(leftMillis, options))),
      )
      if (Result.isSuccess(next)) return next.success
      current.refused(next.failure)
    }
  })

/** The limit of an attempt. */
const within = (leftMillis: number, { timeout }: Options) =>
  Duration.min(Duration.millis(leftMillis), Duration.fromInputUnsafe(timeout))

/** An `onStatus` that throws is logged; the connection goes on. */
const report = ({ onStatus }: Options, status: Status) =>
  Effect.catchCause(
    Effect.sync(() => onStatus?.(status)),
    (cause) => Effect.logWarning("onStatus has failed", cause),
  )
