/**
 * The client: one connection, one session, typed calls, and the processes it follows.
 *
 * Lives in a scope; its end closes the connection. Unknown notifications and those of unknown processes are
 * ignored, requests of the server are refused, a malformed message ends the connection. When the connection
 * ends, every call in flight fails and every process ends in `failed`.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import * as Methods from "../protocol/Methods.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Transport } from "../transport/Transport.ts"
import * as Calls from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as Flow from "./Flow.ts"
import * as Follower from "./Follower.ts"
import * as Ids from "./Ids.ts"
import * as Notification from "./Notification.ts"
import * as RemoteProcess from "./RemoteProcess.ts"
import * as StartOptions from "./StartOptions.ts"

export interface Options {
  /** Default: `procwire`. */
  readonly clientName?: string
  /** Takes up the session of an earlier connection. Its processes are followed through `attach`. */
  readonly resumeSessionId?: string
  /** Default: 10 seconds. */
  readonly initializeTimeout?: Duration.DurationInput
}

export interface ExecClient {
  readonly sessionId: string
  readonly environmentInfo: EnvironmentInfo
  /** Any method of the table: params as on the wire, the result decoded. No deadline but the connection's end. */
  readonly call: Calls.Call
  /** Starts a process. If interrupted, the process is terminated. It lives on when the effect has succeeded. */
  readonly start: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
  /** The same, terminated at the end of the scope. */
  readonly startScoped: (
    options: StartOptions.StartOptions,
  ) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError, Scope.Scope>
  /** Follows a process of a resumed session from the event after seq `after` (default: from the first). */
  readonly attach: (id: string, after?: number) => Effect.Effect<RemoteProcess.RemoteProcess, ClientError>
  /** Completes with the reason when the connection has ended. */
  readonly disconnected: Effect.Effect<ClientError>
}

/** Requests of the server that are being refused at once. */
const concurrentRequests = 16

export const make = (
  transport: Transport,
  options: Options = {},
): Effect.Effect<ExecClient, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const followers = new Map<string, Follower.Follower>()
    const disconnected = Deferred.unsafeMake<ClientError>(FiberId.none)
    const nextId = yield* Ids.make
    let fault: string | undefined
    let ended: ClientError | undefined

    const notification = ({ method, params }: Message.Notification): boolean => {
      if (!Methods.isServerNotification(method)) return true
      const received = Notification.decode(method, params)
      if (Either.isRight(received)) {
        followers.get(received.right.processId)?.accept(received.right.event)
        return true
      }
      fault = `malformed ${method} notification: ${received.left}`
      return false
    }

    const connection = yield* Connection.make(
      transport,
      {
        request: ({ method }) => Effect.fail(refused(method)),
        slotted: () => false,
        notification,
        endsOnMalformed: true,
      },
      { concurrentRequests },
    )
    const flow = Flow.make(connection.hold)

    const lose = (why: string) =>
      Effect.sync(() => {
        const message = `exec-server transport disconnected: ${fault ?? why}`
        ended = new ClientError({ reason: "Disconnected", message })
        for (const follower of followers.values()) follower.fail(ended)
        Deferred.unsafeDone(disconnected, Effect.succeed(ended))
      })

    yield* Effect.forkScoped(
      Effect.flatMap(connection.run, lose).pipe(Effect.onInterrupt(() => lose("the client was closed"))),
    )

    const ask = (method: string, params: unknown): Effect.Effect<Json, ClientError> =>
      Effect.suspend(() => {
        flow.asked()
        return Effect.ensuring(connection.call(method, params), Effect.sync(flow.answered))
      }).pipe(
        Effect.mapError((error) =>
          error._tag === "RpcError"
            ? new ClientError({ reason: "Server", message: error.message, code: error.code, cause: error })
            : (ended ??
              new ClientError({
                reason: "Disconnected",
                message: `exec-server transport disconnected: ${fault ?? error.message}`,
              })),
        ),
      )

    const call = Calls.make(ask)

    /** Follows a process from before it can send anything. */
    const follow = (id: string, after: number): Effect.Effect<Follower.Follower, ClientError> =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        if (followers.has(id)) return Effect.fail(duplicate(id))
        const follower = Follower.make(id, after, { call, flow, fork, forget: () => followers.delete(id) })
        followers.set(id, follower)
        return Effect.succeed(follower)
      })

    const toHandle = (follower: Follower.Follower) =>
      RemoteProcess.make(follower, call, () => nextId("write"))

    /** Gives up a process that its caller no longer waits for. */
    const abandon = (follower: Follower.Follower) => Effect.sync(() => follower.fail(abandoned(follower.id)))

    /** The request goes on without its caller: only its outcome tells whether there is something to terminate. */
    const abandonStart = (follower: Follower.Follower, starting: Fiber.Fiber<unknown, ClientError>) =>
      Effect.sync(() => {
        const terminate = call("process/terminate", { processId: follower.id })
        fork(
          Effect.ensuring(Effect.ignore(Effect.zipRight(Fiber.join(starting), terminate)), abandon(follower)),
        )
      })

    const begin = (
      startOptions: StartOptions.StartOptions,
      restore: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    ) =>
      Effect.gen(function* () {
        const params = StartOptions.toParams(startOptions, environmentInfo, () => nextId("process"))
        const follower = yield* follow(params.processId, 0)
        const starting = fork(call("process/start", params))
        yield* restore(Fiber.join(starting)).pipe(
          Effect.onInterrupt(() => abandonStart(follower, starting)),
          Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
        )
        return toHandle(follower)
      })

    const start: ExecClient["start"] = (startOptions) =>
      Effect.uninterruptibleMask((restore) => begin(startOptions, restore))

    const startScoped: ExecClient["startScoped"] = (startOptions) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.acquireRelease(begin(startOptions, restore), ({ terminate }) => Effect.ignore(terminate)),
      )

    const attach: ExecClient["attach"] = (id, after = 0) =>
      Effect.gen(function* () {
        const follower = yield* follow(id, after)
        yield* follower.recover.pipe(
          Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
          Effect.onInterrupt(() => abandon(follower)),
        )
        return toHandle(follower)
      })

    const { sessionId, environmentInfo } = yield* call("initialize", {
      clientName: options.clientName ?? "procwire",
      resumeSessionId: options.resumeSessionId ?? null,
    }).pipe(
      Effect.timeoutFail({
        duration: options.initializeTimeout ?? "10 seconds",
        onTimeout: () =>
          new ClientError({ reason: "Timeout", message: "timed out waiting for the initialize handshake" }),
      }),
    )
    connection.write(Message.notificationText("initialized", {}))

    return {
      sessionId,
      environmentInfo,
      call,
      start,
      startScoped,
      attach,
      disconnected: Deferred.await(disconnected),
    }
  })

const refused = (method: string) =>
  new ErrorCode.RpcError({
    code: ErrorCode.methodNotFound,
    message: `exec-server client does not implement \`${method}\``,
  })

const duplicate = (id: string) =>
  new ClientError({ reason: "Duplicate", message: `session already registered for process ${id}` })

const abandoned = (id: string) =>
  new ClientError({ reason: "Abandoned", message: `process ${id} was abandoned before it had started` })
