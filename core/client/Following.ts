/** Begins to follow a process: one that is about to start, one of a resumed session, or one to attach to. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { Fork } from "../protocol/Fork.ts"
import type { HasherService } from "../protocol/Hasher.ts"
import * as Attaching from "./Attaching.ts"
import type { AttachOptions, AttachTarget } from "./Attaching.ts"
import type { Call } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as ClientFiber from "./ClientFiber.ts"
import * as Delivery from "./Delivery.ts"
import type { FollowedProcesses, How } from "./FollowedProcesses.ts"
import type { NextId } from "./Ids.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"
import type * as RemoteProcess from "./RemoteProcess.ts"

/** What is used of the client. */
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
}

/** Attaches to a process beside its owner. */
export const join = (
  options: Options,
  target: AttachTarget,
  after: number,
  asked: AttachOptions,
  size: number | undefined,
) =>
  Effect.gen(function* () {
    const { receipt: _, as, ...rest } = asked
    const params = { ...target, ...rest }
    const id = as ?? Attaching.idOf(target, options.processes.has)
    const joined: { attachment?: Attaching.Attachment } = {}
    const again = (follower: ProcessFollower) =>
      joined.attachment === undefined ? Effect.void : Attaching.again(follower, params, joined.attachment)
    const follower = yield* follow(options, id, after, { size, attaches: true, again })
    const receipt = yield* tallied(options, follower, after, asked)
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
    return { follower, receipt, attachment }
  })

/** Follows a process, unless there is no connection any more. */
export const follow = ({ ended, processes }: Options, id: string, after: number, how: How) =>
  Effect.suspend(() => {
    const error = ended()
    return error === undefined ? processes.follow(id, after, how) : Effect.fail(error)
  })

/** Begins to tally the events of a process, if a receipt is asked for: the receipt. */
export const tallied = (
  { fork, hasher }: Options,
  follower: ProcessFollower,
  after: number,
  { receipt }: AttachOptions,
): Effect.Effect<RemoteProcess.RemoteProcess["receipt"]> =>
  receipt !== true
    ? Effect.succeed(Effect.suspend(() => Effect.fail(Delivery.notAsked(follower.id))))
    : Effect.gen(function* () {
        const delivery = yield* Deferred.make<Delivery.Delivery, ClientError>()
        const tally = new Delivery.Tally(after, hasher)
        const tallying = Delivery.follow(follower.id, tally, yield* follower.subscribe)
        // The end of the client interrupts it.
        const closed = Effect.suspend(() => Deferred.fail(delivery, follower.failure() ?? ClientFiber.closed))
        fork(Effect.onInterrupt(Effect.intoDeferred(tallying, delivery), () => closed))
        return Deferred.await(delivery)
      })
