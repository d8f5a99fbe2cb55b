/**
 * The current connection of a client, and the next one when that is lost.
 *
 * After a loss the session is resumed on a new connection: tried again with growing, jittered pauses while
 * the server cannot be reached or has not noticed the loss yet, for at most `window`; whatever else is
 * answered is final. Requests wait meanwhile. Those that were on their way are sent again if a second time
 * changes nothing, else they fail: nobody knows whether they were carried out. A connection that is lost
 * again at once and has brought nothing has not ended the outage: a server that is wrong in the same way each
 * time is given up, too.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import type { Json } from "../protocol/Json.ts"
import type { Transport, TransportError } from "../transport/Transport.ts"
import { ClientError } from "./ClientError.ts"
import type { FlowControl } from "./FlowControl.ts"
import * as SessionConnection from "./SessionConnection.ts"
import * as ReconnectPolicy from "./ReconnectPolicy.ts"

/** Opens a transport; it lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError | ClientError, Scope.Scope>

/** What becomes of the connection, for whoever shows it to people. */
export type Status =
  | { readonly kind: "connected" }
  | { readonly kind: "reconnecting"; readonly message: string }
  /** For good. */
  | { readonly kind: "failed"; readonly message: string }

export interface Options {
  /** Without it the first loss is final. */
  readonly policy: ReconnectPolicy.ReconnectPolicy | undefined
  readonly clientName: string
  readonly resumeSessionId: string | null
  /** Deadline of each handshake, and of each attempt to reconnect as a whole. */
  readonly timeout: Duration.DurationInput
  readonly flow: FlowControl
  readonly accept: SessionConnection.Options["accept"]
  readonly frame: SessionConnection.Options["frame"]
  readonly appeared: SessionConnection.Options["appeared"]
  /** The last seq of each process that is to be replayed. */
  readonly seen: () => Readonly<Record<string, number>>
  /** The session goes on, on a new connection. `replays` is true if the server pushes what was missed. */
  readonly resumed: (replays: boolean) => void
  /** A connection is lost; the next one, if there will be one, takes up nothing but processes. */
  readonly lost: (error: ClientError) => void
  /** There will be no connection any more. */
  readonly failed: (error: ClientError) => void
  readonly onStatus: ((status: Status) => void) | undefined
}

export interface Reconnect extends Pick<
  SessionConnection.SessionConnection,
  "sessionId" | "environmentInfo"
> {
  /** Sends a request on the current connection or the next one; see above for what a loss means for it. */
  readonly ask: (method: string, params: unknown, repeatable: boolean) => Effect.Effect<Json, ClientError>
  /** Why there is no connection any more. */
  readonly ended: () => ClientError | undefined
  /** Completes with that. */
  readonly disconnected: Effect.Effect<ClientError>
  readonly hold: (held: boolean) => void
}

/** A connection that lasts so many milliseconds has ended the outage before it, whatever it has brought. */
export const steadyMillis = 1000

/** How long the end of a lost connection is waited for. */
const closeDeadline = "1 second"

interface Current {
  readonly link: SessionConnection.SessionConnection
  readonly close: Effect.Effect<void>
  /** Open once the connection is known to be lost. */
  readonly over: Effect.Latch
}

/** Connects, and stays connected; the scope ends it. The first connection is tried once. */
export const make = (open: Open, options: Options): Effect.Effect<Reconnect, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const { policy, flow } = options
    // One for every connection that will be: whatever was acquired behind this client is released before the last of them.
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const disconnected = Deferred.unsafeMake<ClientError>(FiberId.none)
    /** Open while there is a connection, or none will come. */
    const settled = Effect.unsafeMakeLatch(true)
    let current: Current | undefined
    let ended: ClientError | undefined

    /** Nothing may interrupt between the connection and whoever gets it: it would hold the session. */
    const connect = (resumeSessionId: string | null, more: object, limit?: Duration.DurationInput) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
          const { clientName, timeout, accept, frame, appeared } = options
          const initialize = { clientName, resumeSessionId, ...more }
          const link = yield* Effect.mapError(open, toClientError).pipe(
            Effect.flatMap((transport) =>
              SessionConnection.make(transport, { initialize, timeout, flow, accept, frame, appeared }),
            ),
            Scope.extend(own),
            limit === undefined ? identity : Effect.timeoutFail({ duration: limit, onTimeout: noAnswer }),
            restore,
            Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
          )
          const over = Effect.unsafeMakeLatch(false)
          return { link, close: Scope.close(own, Exit.void), over } satisfies Current
        }),
      )

    const end = (error: ClientError) => {
      if (ended !== undefined) return
      ended = error
      options.lost(error)
      options.failed(error)
      settled.unsafeOpen()
      Deferred.unsafeDone(disconnected, Effect.succeed(error))
    }

    const ask: Reconnect["ask"] = (method, params, repeatable) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        if (current === undefined) return Effect.zipRight(settled.await, ask(method, params, repeatable))
        const { link, over } = current
        return Effect.catchIf(link.ask(method, params), isLoss, (error) =>
          repeatable ? Effect.zipRight(over.await, ask(method, params, true)) : Effect.fail(error),
        )
      })

    const tell = (status: Status) =>
      Effect.catchAllCause(
        Effect.sync(() => options.onStatus?.(status)),
        (cause) => Effect.logWarning("onStatus has failed", cause),
      )

    const first = yield* connect(options.resumeSessionId, {})
    current = first
    first.link.hold(flow.held())
    const { sessionId, environmentInfo } = first.link
    const replays = environmentInfo.capabilities?.sessionReplay === true

    const reconnect = (leftMillis: number) =>
      Effect.suspend(() => {
        const limit = Duration.min(Duration.millis(leftMillis), options.timeout)
        return connect(sessionId, replays ? { replayAfter: options.seen() } : {}, limit)
      })

    const progress = () => Object.values(options.seen()).reduce((sum, seq) => sum + seq, 0)

    const supervise = Effect.gen(function* () {
      let outage: ReconnectPolicy.Outage | undefined
      let seen = 0
      for (let live = first; ;) {
        const since = yield* Clock.currentTimeMillis
        const why = yield* live.link.lost
        current = undefined
        settled.unsafeClose()
        options.lost(SessionConnection.disconnected(why))
        if (policy === undefined) end(SessionConnection.disconnected(why))
        live.over.unsafeOpen()
        if (policy === undefined) return why
        yield* tell({ kind: "reconnecting", message: why })
        yield* Effect.timeoutOption(Effect.disconnect(live.close), closeDeadline)
        const [before, lived] = [seen, (yield* Clock.currentTimeMillis) - since]
        seen = progress()
        const steady = lived >= steadyMillis || seen !== before
        if (outage === undefined || steady) outage = yield* ReconnectPolicy.begin(policy)
        const next = yield* Effect.either(outage.retry(reconnect))
        if (Either.isLeft(next)) {
          const all = `${why}; failed to resume exec-server session: ${next.left.message}`
          end(SessionConnection.disconnected(all))
          return all
        }
        current = live = next.right
        live.link.hold(flow.held())
        settled.unsafeOpen()
        options.resumed(replays)
        yield* tell({ kind: "connected" })
      }
    })

    yield* Effect.flatMap(supervise, (message) => tell({ kind: "failed", message })).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => end(SessionConnection.disconnected("the client was closed"))),
      ),
      Effect.interruptible,
      Effect.forkScoped,
    )

    return {
      sessionId,
      environmentInfo,
      ask,
      ended: () => ended,
      disconnected: Deferred.await(disconnected),
      hold: (held) => current?.link.hold(held),
    }
  })

const isLoss = ({ reason }: ClientError): boolean => reason === "Disconnected"

const noAnswer = () => new ClientError({ reason: "Timeout", message: "no answer in time" })

export const toClientError = (error: TransportError | ClientError): ClientError =>
  error._tag === "ClientError"
    ? error
    : new ClientError({ reason: "Connect", message: error.message, cause: error })
