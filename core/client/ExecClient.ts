/**
 * The client: one session, typed calls, and the processes it follows.
 *
 * Lives in a scope; its end closes the connection. Given an effect that opens a transport and a policy, it
 * takes its session up again after a lost connection (`Reconnect`), and its processes go on where they were.
 * When there will be no connection any more, every call fails and every process ends in `failed`.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Calls from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import type * as EventFeed from "./EventFeed.ts"
import * as FileWatch from "./FileWatch.ts"
import * as FlowControl from "./FlowControl.ts"
import type * as ProcessFollower from "./ProcessFollower.ts"
import * as RemoteHttp from "./RemoteHttp.ts"
import * as HttpBodies from "./HttpBodies.ts"
import * as Ids from "./Ids.ts"
import type { ReconnectPolicy } from "./ReconnectPolicy.ts"
import * as Reconnect from "./Reconnect.ts"
import * as RemoteFiles from "./RemoteFiles.ts"
import type * as RemoteProcess from "./RemoteProcess.ts"
import type * as StartOptions from "./StartOptions.ts"
import * as ProcessStarter from "./ProcessStarter.ts"

export interface Options {
  /** Default: `procwire`. */
  readonly clientName?: string
  /** Takes up the session of an earlier connection. Its processes are followed through `attach`. */
  readonly resumeSessionId?: string
  /** Default: 10 seconds. */
  readonly initializeTimeout?: Duration.DurationInput
  /** Replaces a lost connection, if the client was given the means to open one. `{}` is a good policy. */
  readonly reconnect?: ReconnectPolicy | false
  /** Called with each change of the connection behind the first success. */
  readonly onStatus?: (status: Reconnect.Status) => void
}

export interface ExecClient {
  readonly sessionId: string
  readonly environmentInfo: EnvironmentInfo
  /**
   * Any method of the table: params as on the wire, the result decoded. No deadline but the connection's end.
   * Where that is replaced, what can be sent twice is, and the rest fails with `Disconnected`.
   */
  readonly call: Calls.Call
  /** Starts a process. If interrupted, the process is terminated. It lives on when the effect has succeeded. */
  readonly start: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
  /** The same with a place in the events that was taken before the start was sent: to be read on, or closed. */
  readonly startSubscribed: (options: StartOptions.StartOptions) => Effect.Effect<Subscribed, ClientError>
  /** Like `start`, terminated at the end of the scope. */
  readonly startScoped: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError, Scope.Scope>
  /** Follows a process of a resumed session from the event after seq `after` (default: from the first). */
  readonly attach: (id: string, after?: number) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
  /** The files of the server's machine. */
  readonly fs: RemoteFiles.RemoteFiles
  /** HTTP requests that the server makes. */
  readonly http: RemoteHttp.RemoteHttp
  /** Completes with the reason when the connection has ended and is not replaced. */
  readonly disconnected: Effect.Effect<ClientError>
}

/** A process and a place in its events from the first. */
export interface Subscribed {
  readonly process: RemoteProcess.RemoteProcess
  readonly subscription: EventFeed.Subscription
}

/** A client over one transport, or over those that an effect opens. */
export const make = (
  source: Transport | Reconnect.Open,
  options: Options = {},
): Effect.Effect<ExecClient, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const followers = new Map<string, ProcessFollower.ProcessFollower>()
    const nextId = yield* Ids.make
    const begun = () => [...followers.values()].filter((follower) => follower.begun())
    const flow: FlowControl.FlowControl = FlowControl.make((held) => connection?.hold(held))
    const bodies = HttpBodies.make(flow)
    const watches = FileWatch.make((method, params) => call(method, params))
    let connection: Reconnect.Reconnect | undefined

    const { sessionId, environmentInfo, ask, ended, disconnected } = (connection = yield* Reconnect.make(
      Effect.isEffect(source) ? source : Effect.succeed(source),
      {
        policy: (Effect.isEffect(source) && options.reconnect) || undefined,
        clientName: options.clientName ?? "procwire",
        resumeSessionId: options.resumeSessionId ?? null,
        timeout: options.initializeTimeout ?? "10 seconds",
        flow,
        accept: ({ processId, event }) => followers.get(processId)?.accept(event),
        frame: bodies.accept,
        appeared: watches.changed,
        lost: (error) => {
          bodies.fail(error)
          watches.lost(error)
        },
        seen: () => Object.fromEntries(begun().map(({ id, last }) => [id, last()])),
        resumed: (replays) => {
          for (const follower of begun()) fork(follower.resume(replays))
        },
        failed: (error) => {
          for (const follower of followers.values()) follower.fail(error)
        },
        onStatus: options.onStatus,
      },
    ))

    const call = Calls.make(ask)
    const starting = ProcessStarter.make({ call, flow, fork, followers, nextId, ended, environmentInfo })
    const http = RemoteHttp.make({ call, bodies, nextId })
    const fs = RemoteFiles.make(call, environmentInfo, watches)
    return { sessionId, environmentInfo, call, ...starting, fs, http, disconnected }
    // Whoever makes a client where nothing may interrupt can still close it, and its deadlines still hold.
  }).pipe(Effect.interruptible)

/**
 * A client that connects at its first use. Whoever comes while it does shares the attempt; after a failure, and
 * after the end of the connection, the next one tries again.
 */
export const lazy = (
  open: Reconnect.Open,
  options: Options = {},
): Effect.Effect<Effect.Effect<ExecClient, ClientError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const fork = yield* Effect.interruptible(FiberSet.makeRuntime<never>())
    let shared: Fiber.RuntimeFiber<Owned, ClientError> | undefined

    const attempt: Effect.Effect<Owned, ClientError> = Effect.gen(function* () {
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const close = Scope.close(own, Exit.void)
      const client = yield* make(open, options).pipe(
        Scope.extend(own),
        Effect.onError(() => close),
      )
      return { client, close }
    })

    const begin = () => {
      const fiber = (shared = fork(attempt))
      const forget = Effect.sync(() => {
        if (shared === fiber) shared = undefined
      })
      fiber.addObserver((exit) => {
        const over = Exit.isSuccess(exit)
          ? Effect.zipRight(exit.value.client.disconnected, exit.value.close)
          : Effect.void
        fork(Effect.zipRight(over, forget))
      })
      return fiber
    }
    return Effect.map(
      Effect.suspend(() => Fiber.join(shared ?? begin())),
      ({ client }) => client,
    )
  })

interface Owned {
  readonly client: ExecClient
  readonly close: Effect.Effect<void>
}
