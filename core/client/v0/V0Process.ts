/**
 * A process of a server that speaks v0: what is known of it by now, its output, and what can be done to it.
 *
 * The wire has neither numbers nor an end of output. Events are numbered here as they come; what comes within a
 * moment behind the exit still belongs to the output, then it ends. Nothing can be read again: a consumer that
 * comes after more output than is kept ends in `failed`. The end of the connection is an exit without a code.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Stream from "effect/Stream"
import type { OutputStream } from "../../protocol/Process.ts"
import { ClientError } from "../ClientError.ts"
import * as EventFeed from "../EventFeed.ts"
import * as Events from "../EventStreams.ts"
import type { FlowControl } from "../FlowControl.ts"
import { failed, type ProcessEvent } from "../ProcessEvent.ts"

/** How long behind the exit output is waited for, in milliseconds. */
export const lateMillis = 50

export interface V0Process {
  readonly id: string
  /** The pid on the server's machine, where the server knows it. */
  readonly pid: number | undefined
  /** Every event from the first, for each run of the stream. The last one is `closed` or `failed`. */
  readonly events: Stream.Stream<ProcessEvent>
  /** The bytes of one stream, or of all of them as they came. A terminal's are `stdout`. */
  readonly output: (stream?: OutputStream) => Stream.Stream<Uint8Array, ClientError>
  /** A place of one's own in the events, for loops that are no `Stream`. To be closed. */
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  /** True once the process has exited, was terminated from here, or is out of reach. */
  readonly hasExited: () => boolean
  /** The exit code, once it is known: -1 for death by a signal. It never is of a process that is out of reach. */
  readonly exitCode: () => number | undefined
  /** Completes when the process has exited or is out of reach, with what `exitCode` says then. */
  readonly exited: Effect.Effect<number | undefined>
  /** Writes to the terminal, in call order. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  /** SIGKILL to the process group; true if the server still knew the process. */
  readonly terminate: Effect.Effect<boolean, ClientError>
}

/** What the connection tells of a process. */
export interface Tracked {
  readonly output: (stream: OutputStream, bytes: Uint8Array) => void
  readonly exit: (exitCode: number) => void
  /** True once its exit was told, or nothing ever will be. */
  readonly exited: () => boolean
  /** No output is waited for any more. */
  readonly close: () => void
  /** Nothing will ever be known of it. */
  readonly fail: (error: ClientError) => void
  /** The handle, once the server has answered. */
  readonly toHandle: (
    pid: number | null,
    calls: Pick<V0Process, "terminate"> & {
      readonly write: (bytes: Uint8Array) => Effect.Effect<unknown, ClientError>
    },
  ) => V0Process
}

export const make = (id: string, flow: FlowControl): Tracked => {
  const feed = EventFeed.make(0, flow, (after) => Effect.fail(tooLate(after + 1)))
  const done = Deferred.unsafeMake<number | undefined>(FiberId.none)
  let seq = 0
  let exited = false
  let told = false
  let code: number | undefined
  let failure: ClientError | undefined
  const next = () => (seq += 1)

  const over = () => {
    exited = true
    told = true
    Deferred.unsafeDone(done, Effect.succeed(code))
  }

  return {
    output: (stream, bytes) => feed.publish({ kind: "output", seq: next(), stream, bytes }),
    exit: (exitCode) => {
      code = exitCode
      feed.publish({ kind: "exited", seq: next(), exitCode, sandboxDenied: false })
      over()
    },
    exited: () => told,
    close: () => feed.publish({ kind: "closed", seq: next() }),
    fail: (error) => {
      failure = error
      feed.publish(failed(error))
      over()
    },
    toHandle: (pid, { write, terminate }) => {
      const events = Events.fromSubscription(feed.subscribe)
      const writing = Effect.unsafeMakeSemaphore(1)
      return {
        id,
        pid: pid ?? undefined,
        events,
        output: Events.output(events, () => failure),
        subscribe: feed.subscribe,
        hasExited: () => exited,
        exitCode: () => code,
        exited: Deferred.await(done),
        write: (bytes) =>
          writing.withPermits(1)(Effect.forEach(Events.pieces(bytes), write, { discard: true })),
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
