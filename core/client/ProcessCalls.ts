/** Calls on a process that have options of their own, and its role as a stream. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Signal } from "../protocol/Process.ts"
import { detached } from "./Attaching.ts"
import type { Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import { unwrapScoped } from "./EventStreams.ts"
import * as OptionNames from "./OptionNames.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"

/** Options of `end`. */
export interface EndOptions {
  /** What asks the process to end. Default: SIGTERM. */
  readonly signal?: Signal
  /** How long it has, in milliseconds; 0 kills at once. Default: the `killGraceMs` of its start, or 5,000. */
  readonly graceMs?: number
  /** Forgets the process as soon as it is closed, at once if it is: its id is free. Default: false. */
  readonly remove?: boolean
}

const endNames = { signal: true, graceMs: true, remove: true } satisfies OptionNames.Names<EndOptions>

/** Options of `restart`. */
export type RestartOptions = Omit<EndOptions, "remove">

const restartNames = { signal: true, graceMs: true } satisfies OptionNames.Names<RestartOptions>

/** Options of `wait`; they are those of the wire. */
export interface WaitOptions {
  /** What to wait for: the first of these that holds. Each has exactly one of `exit`, `pattern`, `idleMs` and so on. */
  readonly until: ReadonlyArray<WaitCondition>
  /** Only output with a seq above this counts, and is returned. Default: all that the server retains. */
  readonly afterSeq?: number
  /** The longest time to wait, in milliseconds. Default: until the process is closed. */
  readonly timeoutMs?: number
  /** The most bytes of output to return, half from each end. Default: 65,536. */
  readonly maxBytes?: number
}

/** One condition of a wait. */
export type WaitCondition = Encoded<"process/wait">["until"][number]

const waitNames = {
  until: true,
  afterSeq: true,
  timeoutMs: true,
  maxBytes: true,
} satisfies OptionNames.Names<WaitOptions>

/** Whether the client writes, at each change. */
export const writing = ({ role }: ProcessFollower): Stream.Stream<boolean> =>
  unwrapScoped(
    Effect.map(
      Effect.acquireRelease(role.subscribe, ({ close }) => Effect.sync(close)),
      ({ next }) => Stream.repeatEffectOption(Effect.flatMap(next, toPull)),
    ),
  )

const toPull = (writes: boolean | undefined) =>
  writes === undefined ? Effect.fail(Option.none()) : Effect.succeed(writes)

/** Leaves an attachment. */
export const detach = (follower: ProcessFollower) =>
  Effect.suspend(() => {
    if (follower.failure() !== undefined) return Effect.void
    const { id } = follower
    const left = Effect.asVoid(follower.call("process/detach", { processId: id }))
    // A process that is forgotten meanwhile is none to leave.
    return Effect.ensuring(
      Effect.catchIf(
        left,
        ({ reason }) => reason === "Server",
        () => Effect.void,
      ),
      Effect.sync(() => follower.fail(detached(id, "left"))),
    )
  })

/** Fails for a process that is none. */
export const notAttached = (id: string) =>
  Effect.failSync(() =>
    OptionNames.invalid(
      `process ${id} is no attachment: this client has started it, or its session is its own`,
    ),
  )

/** Waits on the server. */
export const wait = ({ id, call }: ProcessFollower, options: WaitOptions) =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("wait", waitNames, options)
    return refusal === undefined ? call("process/wait", { processId: id, ...options }) : Effect.fail(refusal)
  })

/** Kills the process, or ends it as the options say. */
export const terminate = (
  { id, call }: ProcessFollower,
  options: EndOptions,
): Effect.Effect<boolean, ClientError> =>
  Effect.map(call("process/terminate", { processId: id, ...options }), ({ running }) => running)

/** Asks the process to end. */
export const end = (
  follower: ProcessFollower,
  options: EndOptions = {},
): Effect.Effect<boolean, ClientError> =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("end", endNames, options)
    if (refusal !== undefined) return Effect.fail(refusal)
    return terminate(follower, { ...options, signal: options.signal ?? "SIGTERM" })
  })

/** Starts the process again. */
export const restart = (
  { id, call }: ProcessFollower,
  options: RestartOptions = {},
): Effect.Effect<void, ClientError> =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("restart", restartNames, options)
    if (refusal !== undefined) return Effect.fail(refusal)
    return Effect.asVoid(call("process/restart", { processId: id, ...options }))
  })

/** The calls that end a process. */
export const ends = (follower: ProcessFollower) => ({
  terminate: Effect.suspend(() => terminate(follower, {})),
  end: (options?: EndOptions) => end(follower, options),
  restart: (options?: RestartOptions) => restart(follower, options),
})
