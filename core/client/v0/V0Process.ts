/**
 * A process of a v0 server: its state, its output, and the calls on it.
 *
 * The wire has neither sequence numbers nor an end of output. Events are numbered here as they arrive; output ends
 * `lateMillis` after the exit. Nothing can be read again: a consumer that comes after more output than is kept ends in
 * `failed`. The end of the connection is an exit without a code.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { OutputStream } from "../../protocol/Process.ts"
import * as Turn from "../../protocol/Turn.ts"
import { ClientError } from "../ClientError.ts"
import * as EventFeed from "../EventFeed.ts"
import * as EventStreams from "../EventStreams.ts"
import type { FlowControl } from "../FlowControl.ts"
import { pieces } from "../Content.ts"
import { failed, type ProcessEvent } from "../ProcessEvent.ts"

/** The time after the exit in which output is taken, in milliseconds. */
export const lateMillis = 50

/** A process of a v0 server. */
export interface V0Process {
  /** Its id on the wire, unique among the processes of the connection that run. */
  readonly id: string
  /** The pid on the server's host, if the server tells it. */
  readonly pid: number | undefined
  /** Every event from the first, for each run of the stream. The last one is `closed` or `failed`. */
  readonly events: Stream.Stream<ProcessEvent>
  /** The bytes of one stream, or of all in the order of arrival. A terminal's are `stdout`. Fails where events do. */
  readonly output: (stream?: OutputStream) => Stream.Stream<Uint8Array, ClientError>
  /** A subscription to the events from the first, for loops that do not use `Stream`. Close it. */
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  /** True once the process has exited, was terminated by this client, or the connection has ended. */
  readonly hasExited: () => boolean
  /** The exit code once it is known, -1 for death by a signal. Stays undefined if the connection has ended first. */
  readonly exitCode: () => number | undefined
  /** Completes when the process has exited or the connection has ended, with what `exitCode` says then. */
  readonly exited: Effect.Effect<number | undefined>
  /** Writes to the terminal, in call order. Fails with `Server` if the process has none. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  /** Sends SIGKILL to the process group; true if the server still knew the process. */
  readonly terminate: Effect.Effect<boolean, ClientError>
}

/**
 * A process as its connection sees it.
 * @internal
 */
export interface Followed {
  readonly output: (stream: OutputStream, bytes: Uint8Array) => void
  readonly exit: (exitCode: number) => void
  /** True once the exit was reported, or the process has failed. */
  readonly exited: () => boolean
  /** Ends the output. */
  readonly close: () => void
  /** Nothing more will be known of the process. */
  readonly fail: (error: ClientError) => void
  /** The handle, once the server has answered the start. */
  readonly toHandle: (
    pid: number | null,
    calls: Pick<V0Process, "terminate"> & {
      readonly write: (bytes: Uint8Array) => Effect.Effect<unknown, ClientError>
    },
  ) => V0Process
}

/**
 * Follows the process `id` from before its start.
 * @internal
 */
export const make = (id: string, flow: FlowControl): Followed => {
  const feed = EventFeed.make(0, flow, (after) => Effect.succeed({ events: [], failure: tooLate(after + 1) }))
  const done = Deferred.makeUnsafe<number | undefined>()
  let seq = 0
  let exited = false
  let reported = false
  let code: number | undefined
  let failure: ClientError | undefined
  const next = () => (seq += 1)

  const over = () => {
    exited = true
    reported = true
    Deferred.doneUnsafe(done, Effect.succeed(code))
  }

  return {
    output: (stream, bytes) => feed.publish({ kind: "output", seq: next(), stream, bytes }),
    exit: (exitCode) => {
      code = exitCode
      feed.publish({ kind: "exited", seq: next(), exitCode, sandboxDenied: false })
      over()
    },
    exited: () => reported,
    close: () => feed.publish({ kind: "closed", seq: next() }),
    fail: (error) => {
      failure = error
      feed.publish(failed(error))
      over()
    },
    toHandle: (pid, { write, terminate }) => {
      const events = EventStreams.fromSubscription(feed.subscribe)
      const writing = Turn.make()
      return {
        id,
        pid: pid ?? undefined,
        events,
        output: EventStreams.output(events, () => failure),
        subscribe: feed.subscribe,
        hasExited: () => exited,
        exitCode: () => code,
        exited: Deferred.await(done),
        write: (bytes) => writing(Effect.forEach(pieces(bytes), write, { discard: true })),
        terminate: Effect.suspend(() => {
          exited = true
          return terminate
        }),
      }
    },
  }
}

const tooLate = (from: number) =>
  new ClientError({
    reason: "EventsLost",
    message: `output is no longer kept from event ${from} on, and this server cannot be asked for it again`,
    gone: { from },
  })
