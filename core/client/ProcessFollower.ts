/**
 * Follows one process: what the connection delivers becomes its ordered events.
 *
 * A number that stays away for `gapMillis`, or behind which more has arrived than is held, is fetched
 * through `process/read`. If the server no longer has it, the process ends in `failed`, which names the
 * range, and is terminated. The process is followed until `closed` has been published in its turn.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type { Call } from "./Calls.ts"
import { ClientError, type Gone } from "./ClientError.ts"
import * as EventFeed from "./EventFeed.ts"
import type { FlowControl } from "./FlowControl.ts"
import { failed, type Sequenced } from "./ProcessEvent.ts"
import { type LostRange, ReorderBuffer } from "./ReorderBuffer.ts"

/** How long a missing number may be merely late, in milliseconds. */
export const gapMillis = 100

/** What a follower needs of its client. */
export interface Link {
  readonly call: Call
  readonly flow: FlowControl
  /** Runs an effect in the client's scope. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<unknown, unknown>
  /** No further event of the process is wanted. */
  readonly forget: () => void
}

export interface ProcessFollower {
  readonly id: string
  /** Takes an event as it comes. */
  readonly accept: (event: Sequenced) => void
  /** Ends the process for its consumers; ignored behind `closed`. */
  readonly fail: (error: ClientError) => void
  /** Fetches what has happened behind the last event, or fails because it is gone. */
  readonly recover: Effect.Effect<void, ClientError>
  /**
   * To be run on a new connection to the same session. A server that `replays` pushes what was missed, and is
   * asked only whether it still has the process; from another one it is fetched. What is gone ends the process.
   */
  readonly resume: (replays: boolean) => Effect.Effect<void>
  /** The server has the process: it is to be taken up again on a new connection. */
  readonly begun: () => boolean
  readonly begin: () => void
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  readonly exitCode: Effect.Effect<number, ClientError>
  readonly closed: Effect.Effect<void, ClientError>
  /** The last seq published. */
  readonly last: () => number
  readonly failure: () => ClientError | undefined
}

/** Follows the process `id` from the event after seq `after`. */
export const make = (id: string, after: number, link: Link): ProcessFollower => {
  const exitCode = Deferred.unsafeMake<number, ClientError>(FiberId.none)
  const closed = Deferred.unsafeMake<void, ClientError>(FiberId.none)
  const crowd = Effect.unsafeMakeLatch(false)
  let failure: ClientError | undefined
  let watched = false
  let begun = false

  const lostError = (why: string, gone: Gone) =>
    new ClientError({ reason: "EventsLost", message: `failed to recover process ${id}: ${why}`, gone })

  const lostEvents = (lost: LostRange) => lostError(lostText(lost), { from: lost.from, to: lost.to })

  const readAfter = (afterSeq: number) =>
    Effect.mapError(link.call("process/read", { processId: id, afterSeq }), (error) =>
      error.reason === "Disconnected" ? error : lostError(error.message, { from: buffer.last + 1 }),
    )

  const catchUp = (from: number, through: number) =>
    Effect.flatMap(readAfter(from), (state) => {
      const found: Array<Sequenced> = []
      const lost = new ReorderBuffer(from, (event) => event.seq <= through && found.push(event)).splice(state)
      return lost === undefined ? Effect.succeed(found) : Effect.fail(lostEvents(lost))
    })

  const feed = EventFeed.make(after, link.flow, catchUp)

  const buffer = new ReorderBuffer(after, (event) => {
    feed.publish(event)
    if (event.kind === "exited") Deferred.unsafeDone(exitCode, Effect.succeed(event.exitCode))
    if (event.kind !== "closed") return
    const message = `process ${id} closed without an exit code`
    Deferred.unsafeDone(exitCode, Effect.fail(new ClientError({ reason: "Protocol", message })))
    Deferred.unsafeDone(closed, Effect.void)
    link.forget()
  })

  const fail = (error: ClientError) => {
    if (failure !== undefined || buffer.closed) return
    failure = error
    feed.publish(failed(error))
    Deferred.unsafeDone(exitCode, Effect.fail(error))
    Deferred.unsafeDone(closed, Effect.fail(error))
    link.forget()
  }

  const recover = Effect.suspend(() => {
    const { last } = buffer
    return Effect.flatMap(readAfter(last), (state) => {
      if (state.exitCode !== null) Deferred.unsafeDone(exitCode, Effect.succeed(state.exitCode))
      const lost = buffer.splice(state)
      if (lost !== undefined) return Effect.fail(lostEvents(lost))
      // The server was asked for what follows a number, knows of nothing, and yet has sent it.
      const stuck = buffer.gap && buffer.last === last
      const missing = { from: last + 1, to: last + 1, through: state.nextSeq - 1 }
      return stuck ? Effect.fail(lostEvents(missing)) : Effect.void
    })
  })

  const giveUp = (error: ClientError) =>
    Effect.suspend(() => {
      // A lost connection is told by the client, to all processes.
      if (error.reason === "Disconnected") return Effect.void
      fail(error)
      return Effect.ignore(link.call("process/terminate", { processId: id }))
    })

  const resume = (replays: boolean) =>
    Effect.catchAll(replays ? Effect.asVoid(readAfter(Number.MAX_SAFE_INTEGER)) : recover, giveUp)

  /** Runs while there is a gap. */
  const watch = Effect.gen(function* () {
    while (buffer.gap && failure === undefined) {
      const { last } = buffer
      yield* Effect.raceFirst(Effect.sleep(gapMillis), crowd.await)
      crowd.unsafeClose()
      if (buffer.gap && buffer.last === last) yield* Effect.catchAll(recover, giveUp)
    }
  }).pipe(Effect.ensuring(Effect.sync(() => (watched = false))))

  const accept = (event: Sequenced) => {
    buffer.accept(event)
    if (!buffer.gap) return
    if (buffer.crowded) crowd.unsafeOpen()
    if (watched) return
    watched = true
    link.fork(watch)
  }

  return {
    id,
    accept,
    fail,
    recover,
    resume,
    begun: () => begun,
    begin: () => {
      begun = true
    },
    subscribe: feed.subscribe,
    exitCode: Deferred.await(exitCode),
    closed: Deferred.await(closed),
    last: () => buffer.last,
    failure: () => failure,
  }
}

const lostText = ({ from, to, through }: LostRange): string =>
  `process events are no longer retained while recovering through sequence ${through} (${from} to ${to} are gone)`
