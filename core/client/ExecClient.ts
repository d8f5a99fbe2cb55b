/**
 * The client as effects: one session, typed calls, and the processes it follows.
 *
 * It lives in a scope, whose end closes the connection. With an effect that opens a transport, and a policy, it resumes
 * its session after a lost connection (`Reconnect`), and its processes go on. When there will be no connection any
 * more, every call fails and every process ends in `failed`.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Fork from "../protocol/Fork.ts"
import { Buffers } from "../protocol/Buffers.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import { Hasher } from "../protocol/Hasher.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Activity from "./Activity.ts"
import * as Calls from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as ClientConnection from "./ClientConnection.ts"
import * as CurrentConnection from "./CurrentConnection.ts"
import * as FileWatch from "./FileWatch.ts"
import * as FlowControl from "./FlowControl.ts"
import * as RemoteHttp from "./RemoteHttp.ts"
import * as FollowedProcesses from "./FollowedProcesses.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Ids from "./Ids.ts"
import { LocalStreams } from "./Stdio.ts"
import * as Lists from "./Lists.ts"
import type * as Policy from "./Policy.ts"
import * as Pipeline from "./Pipeline.ts"
import type { ReconnectPolicy } from "./ReconnectPolicy.ts"
import * as Reconnect from "./Reconnect.ts"
import * as RemoteFiles from "./RemoteFiles.ts"
import * as RunResult from "./RunResult.ts"
import type { RunOptions } from "./RunOptions.ts"
import * as ProcessStarter from "./ProcessStarter.ts"

/** Options of a client. Every one has a default. */
export interface Options {
  /** The name of the client in the handshake. Default: `procwire`. */
  readonly clientName?: string
  /** Resumes the session of an earlier client. `attach` follows its processes. Default: a new session. */
  readonly resumeSessionId?: string
  /**
   * Takes the session of `resumeSessionId` also from a client that is still connected, which ends; refused with -32010
   * otherwise. Needs the capability `sessionTakeover`; other servers ignore it. Default: false.
   */
  readonly takeover?: boolean
  /** Deadline of the handshake; numbers are milliseconds. Default: 10 seconds. */
  readonly initializeTimeout?: Duration.Input
  /**
   * Silence of the server after which it is asked whether it is there; if it is silent for as long again, the
   * connection is lost. From 100 milliseconds to 1 hour; false: it is never asked. Default: 15 seconds.
   */
  readonly heartbeat?: Duration.Input | false
  /** The replacement of a lost connection, if the client was given an effect that opens one. Default: none. */
  readonly reconnect?: ReconnectPolicy | false
  /**
   * The reaction to a session that cannot be resumed, because its server was restarted, say. `end` (the default): the
   * client ends, and every later call fails. `new`: its processes end in `failed` with the reason `SessionLost`, and
   * the next call begins a new session, which `onStatus` reports. Needs `reconnect`.
   */
  readonly onSessionLost?: Reconnect.OnSessionLost
  /** Called at each change of the connection after the first success. Its errors are logged. */
  readonly onStatus?: (status: Reconnect.Status) => void
  /**
   * Decides about connections of processes that no rule of the server names, and that it asks about (`ask` in its
   * rules, or in those of the start). Starts have `egressAsk: true` then, unless they say otherwise, where the server
   * has the capability `processEgress`. Default: each is denied.
   */
  readonly onPolicyRequest?: Policy.OnPolicyRequest
  /** Hears what the client is busy with, so that an idle client need not keep its program alive. */
  readonly activity?: Activity.Activity
}

/** A session on a server: its processes, files and HTTP, and every method of the wire. */
export interface ExecClient extends ProcessStarter.ProcessStarter {
  /**
   * Names the session on the server: another client resumes it with `resumeSessionId`. Changes with a new session
   * (`onSessionLost: "new"`).
   */
  readonly sessionId: string
  /** The server's host: shell, working directory, platform, capabilities. */
  readonly environmentInfo: EnvironmentInfo
  /**
   * Sends a request of the method table: params as on the wire (a `chunk` may also be bytes, which become its base64),
   * the result decoded. It has no deadline. When the connection is lost and replaced, a request that is safe to repeat
   * is sent again; any other fails with `Disconnected`.
   */
  readonly call: Calls.Call
  /**
   * The processes that the server has, oldest first; a closed one until it is forgotten. Of the own session, or with
   * `sessions: "all"` of every one, where the server lets its clients see that. Needs the capability `processList`.
   */
  readonly list: (options?: Lists.ListOptions) => Stream.Stream<Lists.ListedProcess, ClientError>
  /** The sessions that the server has, by their numbers: ids are secrets. Needs the capability `processList`. */
  readonly listSessions: (
    options?: Lists.ListSessionsOptions,
  ) => Stream.Stream<Lists.ListedSession, ClientError>
  /**
   * Starts a process, waits until it is closed, and succeeds with how it ended and what it printed. Fails with
   * `OutputTooLarge` when a stream has more bytes than `maxBuffer`, with `InputFailed`, and with `reject: true` with
   * `Failed` for every end but an exit with 0. A run that fails or is interrupted is terminated.
   */
  readonly run: <E extends RunResult.Encoding = "utf8">(
    options: RunOptions<E>,
  ) => Effect.Effect<RunResult.Result<RunResult.Content<E>>, ClientError>
  /**
   * Runs processes to their end.
   * @internal
   */
  readonly runner: Pipeline.Runner
  /** The files of the server's host. */
  readonly fs: RemoteFiles.RemoteFiles
  /** HTTP requests that the server makes. */
  readonly http: RemoteHttp.RemoteHttp
  /** Completes with the reason when the connection has ended and will not be replaced. */
  readonly disconnected: Effect.Effect<ClientError>
}

/**
 * The client in Effect behind a client in promises: `ExecClient.of(await connect(target))`. Its effects are those of
 * the copy of `effect` that is bundled with procwire, which run as those of the caller's do. Throws a TypeError for
 * what is no such client.
 */
export const of = (client: { readonly effect: object }): ExecClient => {
  const found = client.effect as Partial<ExecClient>
  if (!Effect.isEffect(found.disconnected) || found.call === undefined)
    throw new TypeError("ExecClient.of needs a client of procwire, whose effect is of the line 4")
  return found as ExecClient
}

/** A client over one transport, or over the transports that an effect opens. The first connection is tried once. */
export const make = (
  source: Transport | Reconnect.Open,
  options: Options = {},
): Effect.Effect<ExecClient, ClientError, Scope.Scope> => {
  const { activity = Activity.make() } = options
  return Effect.gen(function* () {
    const heartbeat = yield* Heartbeat.parse(options.heartbeat)
    const fork = yield* Fork.inScope
    const nextId = yield* Ids.make
    const hasher = yield* Hasher
    const buffers = yield* Buffers
    const local = yield* LocalStreams
    const current = CurrentConnection.make()
    const { ended, disconnected } = current
    const call = Calls.make((...request) => activity.during(current.ask(...request)))
    const tell: Calls.Tell = (...request) => fork(current.tell(...request))
    const flow = FlowControl.make(current.hold)
    const bodies = RemoteHttp.makeBodies(flow, activity)
    const watches = FileWatch.make(call, tell, activity)
    const processes = FollowedProcesses.make({ call, flow, fork, activity, buffers, tell: current.tell })

    const session = yield* Reconnect.make(
      Effect.isEffect(source) ? source : Effect.succeed(source),
      current,
      {
        policy: (Effect.isEffect(source) && options.reconnect) || undefined,
        clientName: options.clientName ?? "procwire",
        resumeSessionId: options.resumeSessionId ?? null,
        takeover: options.takeover ?? false,
        onSessionLost: options.onSessionLost ?? "end",
        timeout: options.initializeTimeout ?? "10 seconds",
        flow,
        heartbeat,
        answer: options.onPolicyRequest && answering(options.onPolicyRequest),
        processes,
        bodies,
        watches,
        onStatus: options.onStatus,
      },
    )

    const info = () => session().environmentInfo
    const decides = options.onPolicyRequest !== undefined
    const starter = ProcessStarter.make({ call, fork, processes, nextId, ended, info, hasher, decides })
    const fs = RemoteFiles.make(call, tell, info, watches)
    const runner = { startSubscribed: starter.startSubscribed, fs, info, local }
    return {
      get sessionId() {
        return session().sessionId
      },
      get environmentInfo() {
        return info()
      },
      call,
      ...starter,
      run: <E extends RunResult.Encoding>(options: RunOptions<E>) =>
        Effect.map(Pipeline.run([{ on: runner, options }]), (result) =>
          RunResult.encoded(result, options.encoding),
        ),
      runner,
      list: (options?: Lists.ListOptions) => Lists.processes(call, options),
      listSessions: (options?: Lists.ListSessionsOptions) => Lists.sessions(call, options),
      fs,
      http: RemoteHttp.make({ call, bodies, nextId }),
      disconnected,
    }
    // Made in an uninterruptible region, the client can still be closed, and its deadlines still hold.
  }).pipe(Effect.interruptible, activity.during)
}

/** Loads what answers with the first question. */
const answering = (decide: Policy.OnPolicyRequest): Policy.Answering => {
  const loading = Effect.promise(() => import("./Policy.ts"))
  return (params) => Effect.flatMap(loading, ({ make }) => make(decide)(params))
}

/**
 * A client that connects at its first use: the inner effect. Uses during the attempt share it. After a failure, or
 * after the end of the connection, the next use connects again.
 */
export const lazy = (
  open: Reconnect.Open,
  options: Options = {},
): Effect.Effect<Effect.Effect<ExecClient, ClientError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const fork = yield* Fork.inScope
    let shared: Fiber.Fiber<Owned, ClientError> | undefined

    const attempt: Effect.Effect<Owned, ClientError> = Effect.gen(function* () {
      const own = yield* Scope.fork(scope)
      const close = Scope.close(own, Exit.void)
      const client = yield* make(open, options).pipe(
        Scope.provide(own),
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
          ? Effect.andThen(exit.value.client.disconnected, exit.value.close)
          : Effect.void
        fork(Effect.andThen(over, forget))
      })
      return fiber
    }
    return Effect.map(
      Effect.suspend(() => ClientConnection.outcome(shared ?? begin())),
      ({ client }) => client,
    )
  })

interface Owned {
  readonly client: ExecClient
  readonly close: Effect.Effect<void>
}
