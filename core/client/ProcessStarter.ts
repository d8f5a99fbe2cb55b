/**
 * How a client comes to follow a process: it starts one, or attaches to one of a resumed session.
 *
 * A process is followed from before its start is sent, so that nothing that comes early is missed. A start
 * that nobody waits for any more, or whose answer was lost with the connection, ends in a terminate.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import type * as EventFeed from "./EventFeed.ts"
import type { ExecClient } from "./ExecClient.ts"
import type { FlowControl } from "./FlowControl.ts"
import * as ProcessFollower from "./ProcessFollower.ts"
import type { NextId } from "./Ids.ts"
import * as RemoteProcess from "./RemoteProcess.ts"
import * as StartOptions from "./StartOptions.ts"

/** What is needed of the client. */
export interface Client {
  readonly call: Call
  readonly flow: FlowControl
  /** Runs an effect in the client's scope. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  /** Whoever is followed, by id. */
  readonly followers: Map<string, ProcessFollower.ProcessFollower>
  readonly nextId: NextId
  /** Why there is no connection any more. */
  readonly ended: () => ClientError | undefined
  readonly environmentInfo: EnvironmentInfo
}

export const make = ({
  call,
  flow,
  fork,
  followers,
  nextId,
  ended,
  environmentInfo,
}: Client): Pick<ExecClient, "start" | "startScoped" | "startSubscribed" | "attach"> => {
  const follow = (id: string, after: number): Effect.Effect<ProcessFollower.ProcessFollower, ClientError> =>
    Effect.suspend(() => {
      const error = ended()
      if (error !== undefined) return Effect.fail(error)
      if (followers.has(id)) return Effect.fail(duplicate(id))
      const follower = ProcessFollower.make(id, after, {
        call,
        flow,
        fork,
        forget: () => followers.delete(id),
      })
      followers.set(id, follower)
      return Effect.succeed(follower)
    })

  const toHandle = (follower: ProcessFollower.ProcessFollower) =>
    RemoteProcess.make(follower, call, () => nextId("write"))

  /** Gives up a process that its caller no longer waits for. */
  const abandon = (follower: ProcessFollower.ProcessFollower) =>
    Effect.sync(() => follower.fail(abandoned(follower.id)))

  const terminate = (processId: string) => Effect.ignore(call("process/terminate", { processId }))

  /** Sends the start. If its answer is lost, nobody will know of the process: it is terminated on the next connection. */
  const send = (follower: ProcessFollower.ProcessFollower, params: StartOptions.Wire) =>
    call("process/start", params).pipe(
      Effect.tap(() => Effect.sync(follower.begin)),
      Effect.tapError(({ reason }) =>
        Effect.sync(() => {
          if (reason === "Disconnected" && ended() === undefined) fork(terminate(follower.id))
        }),
      ),
    )

  /** The request goes on without its caller: only its outcome tells whether there is something to terminate. */
  const abandonStart = (
    follower: ProcessFollower.ProcessFollower,
    starting: Fiber.Fiber<unknown, ClientError>,
  ) =>
    Effect.sync(() => {
      const end = Effect.zipRight(Fiber.join(starting), terminate(follower.id))
      fork(Effect.ensuring(Effect.ignore(end), abandon(follower)))
    })

  /** `before` sees the follower before anything can have happened to the process. */
  const begin = <A>(
    options: StartOptions.StartOptions,
    restore: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    before: (follower: ProcessFollower.ProcessFollower) => Effect.Effect<A>,
  ) =>
    Effect.gen(function* () {
      const params = StartOptions.toParams(options, environmentInfo, () => nextId("process"))
      const follower = yield* follow(params.processId, 0)
      const prepared = yield* before(follower)
      // The request is sent by another fiber, and still belongs to the span of whoever starts.
      const starting = fork(Effect.provide(send(follower, params), yield* Effect.context<never>()))
      yield* restore(Fiber.join(starting)).pipe(
        Effect.onInterrupt(() => abandonStart(follower, starting)),
        Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
      )
      return { process: toHandle(follower), prepared }
    })

  const startWith = (
    options: StartOptions.StartOptions,
    restore: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  ) =>
    Effect.map(
      begin(options, restore, () => Effect.void),
      ({ process }) => process,
    )

  return {
    start: (options) => Effect.uninterruptibleMask((restore) => startWith(options, restore)),
    startSubscribed: (options) =>
      Effect.uninterruptibleMask((restore) => {
        let subscription: EventFeed.Subscription | undefined
        const subscribe = ({ subscribe }: ProcessFollower.ProcessFollower) =>
          Effect.tap(subscribe, (made) => Effect.sync(() => (subscription = made)))
        return begin(options, restore, subscribe).pipe(
          Effect.map(({ process, prepared }) => ({ process, subscription: prepared })),
          Effect.onError(() => Effect.sync(() => subscription?.close())),
        )
      }),
    startScoped: (options) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.acquireRelease(startWith(options, restore), ({ terminate }) => Effect.ignore(terminate)),
      ),
    attach: (id, after = 0) =>
      Effect.gen(function* () {
        const follower = yield* follow(id, after)
        yield* follower.recover.pipe(
          Effect.tapError((error) => Effect.sync(() => follower.fail(error))),
          Effect.onInterrupt(() => abandon(follower)),
        )
        follower.begin()
        return toHandle(follower)
      }),
  }
}

const duplicate = (id: string) =>
  new ClientError({ reason: "Duplicate", message: `session already registered for process ${id}` })

const abandoned = (id: string) =>
  new ClientError({ reason: "Abandoned", message: `process ${id} was abandoned before it had started` })
