/**
 * Starts processes, and attaches to processes of a resumed session.
 *
 * A process is followed from before its start is sent, so early events are not missed. A start that was interrupted
 * ends in a terminate. One whose answer was lost with the connection is looked for on the next one: if the session has
 * the process it is taken up, and else it is started once more.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Features from "../features/Clients.ts"
import type { StartFields } from "../features/Wires.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Fork } from "../protocol/Fork.ts"
import type { HasherService } from "../protocol/Hasher.ts"
import * as Attaching from "./Attaching.ts"
import type { AttachOptions, AttachTarget } from "./Attaching.ts"
import type { Call } from "./Calls.ts"
import * as ClientConnection from "./ClientConnection.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import type * as EventFeed from "./EventFeed.ts"
import { defaultWindow } from "./FlowControl.ts"
import type { FollowedProcesses, How } from "./FollowedProcesses.ts"
import type { NextId } from "./Ids.ts"
import * as OptionNames from "./OptionNames.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"
import * as RemoteProcess from "./RemoteProcess.ts"
import * as StartFailure from "./StartFailure.ts"
import * as StartOptions from "./StartOptions.ts"

/** A process, and a subscription to its events from the first. */
export interface Subscribed {
  /** The process. */
  readonly process: RemoteProcess.RemoteProcess
  /** Its events from the first. Read it to its end, or close it. */
  readonly subscription: EventFeed.Subscription
  /** True while events are known that come behind missing ones, which are fetched. */
  readonly behind: () => boolean
}

/** Starts processes and takes them over; every client of the current wire has it. */
export interface ProcessStarter {
  /**
   * Starts a process. It lives on when the effect has succeeded; interrupting the effect terminates it. Fails with
   * `Duplicate` for a `processId` that this client follows, `ProgramNotFound`, `ProgramNotExecutable`,
   * `WorkingDirectory`, `Server` where the server refuses for another reason, and `Disconnected`.
   */
  readonly start: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
  /** Like `start`, with a subscription made before the start is sent. Read it to its end, or close it. */
  readonly startSubscribed: (options: StartOptions.StartOptions) => Effect.Effect<Subscribed, ClientError>
  /** Like `start`; the end of the scope terminates the process. */
  readonly startScoped: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError, Scope.Scope>
  /**
   * Follows a process of a resumed session from the event after seq `after` (default 0: from the first). Fails with
   * `UnknownProcess` if the session has no such process (any more), with `EventsLost` if the server no longer retains
   * those events, and with `SessionLost` if the session is lost, before or meanwhile.
   *
   * With a target instead of an id it attaches to a process of this session or another one, beside its owner and
   * others, as a viewer or its writer; a `gap` tells what is no longer retained. It needs the capability
   * `processAttach`, and for other sessions `processAttachAll` or their id. The process goes on without this client.
   */
  readonly attach: (
    target: string | AttachTarget,
    after?: number,
    options?: AttachOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
}

/** A process that starts with a subscription; the end of the scope closes that, and terminates the process. */
export const scoped = <E>(
  starting: Effect.Effect<Subscribed, E>,
): Effect.Effect<Subscribed, E, Scope.Scope> =>
  Effect.acquireRelease(starting, ({ process, subscription }) =>
    Effect.andThen(Effect.sync(subscription.close), Effect.ignore(process.terminate)),
  )

/** The used part of the client. */
export interface Options {
  readonly call: Call
  /** Runs an effect in the client's scope. */
  readonly fork: Fork
  readonly processes: FollowedProcesses
  readonly nextId: NextId
  /** Why there is no connection any more. */
  readonly ended: () => ClientError | undefined
  /** The server of the current session. */
  readonly info: () => EnvironmentInfo
  readonly hasher: HasherService
  /** Whether the client decides about connections of its processes. */
  readonly decides: boolean
}

type Restore = <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>

export const make = (options: Options): ProcessStarter => {
  const { nextId, info, decides } = options
  const toHandle = (
    follower: ProcessFollower,
    own: Features.Calls,
    more: Omit<RemoteProcess.Facts, "nextWriteId"> = {},
  ) => ({ ...RemoteProcess.make(follower, { nextWriteId: () => nextId("write"), ...more }), ...own })

  /** `prepare` runs before the start is sent. */
  const begin = <A>(
    start: StartOptions.StartOptions,
    restore: Restore,
    prepare: (follower: ProcessFollower) => Effect.Effect<A>,
  ) =>
    Effect.gen(function* () {
      const unknown = OptionNames.refusalOfStart("start", StartOptions.names, start)
      const refusal = unknown ?? StartOptions.refusal(start, info()) ?? aborted(start)
      if (refusal !== undefined) return yield* Effect.fail(refusal)
      const params = StartOptions.toParams(start, info(), () => nextId("process"), decides)
      const how = { size: params.credit ?? undefined, attaches: false }
      const follower = yield* follow(options, params.processId, 0, how)
      const own = yield* extended(options, follower, 0, start)
      const prepared = yield* prepare(follower)
      const pid = yield* send(options, follower, params, restore)
      terminateOnAbort(start, follower, options)
      return { process: toHandle(follower, own, { pid }), prepared }
    })

  const startWith = (start: StartOptions.StartOptions, restore: Restore) =>
    Effect.map(
      begin(start, restore, () => Effect.void),
      ({ process }) => process,
    )

  return {
    start: (start) => Effect.uninterruptibleMask((restore) => startWith(start, restore)),
    startSubscribed: (start) =>
      Effect.uninterruptibleMask((restore) => {
        let subscription: EventFeed.Subscription | undefined
        const subscribe = ({ subscribe, behind }: ProcessFollower) =>
          Effect.map(subscribe, (made) => ({ subscription: (subscription = made), behind }))
        return begin(start, restore, subscribe).pipe(
          Effect.map(({ process, prepared }) => ({ process, ...prepared })),
          Effect.onError(() => Effect.sync(() => subscription?.close())),
        )
      }),
    startScoped: (start) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.acquireRelease(startWith(start, restore), ({ terminate }) => Effect.ignore(terminate)),
      ),
    attach: (id, after = 0, asked = {}) =>
      Effect.gen(function* () {
        const refusal = Attaching.refusalOf(id, after, asked, info())
        if (refusal !== undefined) return yield* Effect.fail(refusal)
        const credited = info().capabilities?.processCredit === true
        const size = credited ? defaultWindow : undefined
        if (typeof id !== "string") {
          const { follower, own, attachment } = yield* join(options, id, after, asked, size)
          return toHandle(follower, own, { attachment, pid: attachment.process.pid ?? undefined })
        }
        const follower = yield* follow(options, id, after, { size, attaches: true })
        const own = yield* extended(options, follower, after, asked)
        yield* follower.recover.pipe(
          Effect.mapError(
            (error) => follower.failure() ?? (isForgotten(error) ? unknownProcess(id, error) : error),
          ),
          Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
          Effect.onInterrupt(() => abandon(follower)),
        )
        yield* follower.takeOver
        return toHandle(follower, own)
      }),
  }
}

/** Attaches to a process beside its owner. */
const join = (
  options: Options,
  target: AttachTarget,
  after: number,
  asked: AttachOptions,
  size: number | undefined,
) =>
  Effect.gen(function* () {
    const { as, role, take, policy } = asked
    const params = { ...target, role, take, policy }
    const id = as ?? Attaching.idOf(target, options.processes.has)
    const joined: { attachment?: Attaching.Attachment } = {}
    const again = (follower: ProcessFollower) =>
      joined.attachment === undefined ? Effect.void : Attaching.again(follower, params, joined.attachment)
    const follower = yield* follow(options, id, after, { size, attaches: true, again })
    const own = yield* extended(options, follower, after, asked)
    const attachment = yield* Attaching.attach(follower, params).pipe(
      Effect.mapError((error) => follower.failure() ?? error),
      Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          options.fork(Effect.ignore(options.call("process/detach", { processId: id })))
          follower.fail(Attaching.detached(id, "left"))
        }),
      ),
    )
    joined.attachment = attachment
    return { follower, own, attachment }
  })

/** Follows a process, unless there is no connection any more. */
const follow = ({ ended, processes }: Options, id: string, after: number, how: How) =>
  Effect.suspend(() => {
    const error = ended()
    return error === undefined ? processes.follow(id, after, how) : Effect.fail(error)
  })

const extended = (
  { fork, hasher }: Options,
  follower: ProcessFollower,
  after: number,
  asked: Partial<StartFields>,
): Effect.Effect<Features.Calls> => Features.make({ ...follower, after, fork, hasher }, asked)

/** Terminates a process that has started when its signal aborts, until it has closed, or is followed no more. */
const terminateOnAbort = (
  { signal, killGraceMs }: StartOptions.StartOptions,
  { id, closed }: ProcessFollower,
  { call, fork }: Options,
): void => {
  if (signal === undefined) return
  const grace = killGraceMs === undefined ? {} : { graceMs: killGraceMs }
  // A terminate whose connection is lost is sent again on the next one.
  const end = Effect.ignore(call("process/terminate", { processId: id, ...grace }))
  const abort = () => void fork(end)
  if (signal.aborted) return abort()
  signal.addEventListener("abort", abort)
  fork(
    Effect.andThen(
      Effect.exit(closed),
      Effect.sync(() => signal.removeEventListener("abort", abort)),
    ),
  )
}

const aborted = ({ signal }: StartOptions.StartOptions): ClientError | undefined =>
  signal?.aborted === true
    ? clientError("Abandoned", "nothing was started: the signal of the start had aborted", {
        cause: signal.reason,
      })
    : undefined

/** True for the loss of everything: an answer of a server that does not know the process. */
const isForgotten = ({ gone }: ClientError): boolean => gone !== undefined && gone.to === undefined

const unknownProcess = (id: string, cause: ClientError) =>
  clientError(
    "UnknownProcess",
    `there is no process ${id} in this session: none was started with that id, or the server has forgotten it`,
    { cause },
  )

/**
 * Time after its first sending in which a start may be sent again, in milliseconds: servers know a process for 30
 * seconds after its end.
 */
const knownMillis = 20_000

/**
 * Starts a process once: where the answer is lost, it is looked for, and started again if it is not there. Only once
 * more, for the request itself may be what ends the connection. Succeeds with the pid, as far as the server tells it.
 */
const startOnce = (
  { call, processes }: Options,
  follower: ProcessFollower,
  params: StartOptions.Wire,
  wanted: () => boolean,
): Effect.Effect<number | undefined, ClientError> =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + knownMillis
    let lost: ClientError | undefined
    for (;;) {
      const ask: Call = lost === undefined ? call : follower.call
      const answer = yield* Effect.result(ask("process/start", params))
      if (Result.isSuccess(answer)) {
        follower.begin()
        return answer.success.pid
      }
      const error = answer.failure
      // The id is taken, by the first one it seems.
      if (lost !== undefined && error.code === ErrorCode.invalidRequest) return yield* Effect.fail(lost)
      if (error.reason !== "Disconnected") return yield* Effect.fail(error)
      processes.keepToSession(follower.id)
      const found = yield* Effect.result(follower.recover)
      if (Result.isSuccess(found)) return yield* Effect.as(follower.takeOver, undefined)
      if (!isForgotten(found.failure)) return yield* Effect.fail(found.failure)
      const late = (yield* Clock.currentTimeMillis) > until
      if (lost !== undefined || late || !wanted()) return yield* Effect.fail(error)
      lost = error
    }
  })

/** Sends a start. The request goes on when its caller is interrupted: its outcome says whether to terminate. */
const send = (options: Options, follower: ProcessFollower, params: StartOptions.Wire, restore: Restore) =>
  Effect.gen(function* () {
    const { call, ended, fork, info } = options
    let wanted = true
    const terminate = Effect.ignore(call("process/terminate", { processId: follower.id }))
    const request = startOnce(options, follower, params, () => wanted).pipe(
      Effect.tapError(({ reason }) =>
        Effect.sync(() => {
          // A process that may run has no follower.
          if (reason === "EventsLost" || (reason === "Disconnected" && ended() === undefined)) fork(terminate)
        }),
      ),
      Effect.catch((error) => Effect.flatMap(StartFailure.explain(error, params, call, info()), Effect.fail)),
    )
    // The request runs on another fiber, and still belongs to the caller's trace span.
    const context = yield* Effect.context<never>()
    const starting = fork(Effect.provideContext(request, context))
    const started = ClientConnection.outcome(starting)
    const abandonStart = Effect.sync(() => {
      wanted = false
      const end = Effect.andThen(started, terminate)
      fork(Effect.ensuring(Effect.ignore(end), abandon(follower)))
    })
    return yield* restore(started).pipe(
      Effect.onInterrupt(() => abandonStart),
      Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
    )
  })

/** Ends a process whose caller was interrupted. */
const abandon = (follower: ProcessFollower) =>
  Effect.sync(() =>
    follower.fail(clientError("Abandoned", `process ${follower.id} was abandoned before it had started`)),
  )
