/**
 * A process on the other side of the wire: its events in order, and what can be done to it.
 *
 * After the connection is lost, or events are, the events end in `failed`, and `read` answers a made-up
 * closed state with the reason in `failure`.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { toBase64 } from "../protocol/Bytes.ts"
import type { OutputStream, ReadResult, TerminalSize } from "../protocol/Process.ts"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import type * as EventFeed from "./EventFeed.ts"
import * as EventStreams from "./EventStreams.ts"
import { pieces } from "./Pieces.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

export interface ReadOptions {
  /** Only chunks behind this seq. */
  readonly afterSeq?: number
  /** Most decoded bytes; whole chunks are returned, and always at least one. */
  readonly maxBytes?: number
  /** How long to wait for something behind `afterSeq`. */
  readonly waitMs?: number
}

export interface RemoteProcess {
  readonly id: string
  /** Every event from the first, for each run of the stream. The last one is `closed` or `failed`. */
  readonly events: Stream.Stream<ProcessEvent>
  /** The bytes of one stream, or of all of them in order. */
  readonly output: (stream?: OutputStream) => Stream.Stream<Uint8Array, ClientError>
  /** A place of one's own in the events, for loops that are no `Stream`. To be closed. */
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  /** The exit code; 128 + n for death by signal n. Needs nobody to consume events. */
  readonly exitCode: Effect.Effect<number, ClientError>
  /** Completes when the process has exited and no output follows. */
  readonly closed: Effect.Effect<void, ClientError>
  /** Writes to stdin or the PTY, in call order; waits while the child does not read. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  /** Ends a piped stdin behind what was written. With the capability `processCloseStdin`. */
  readonly closeStdin: Effect.Effect<void, ClientError>
  /** Sets the size of the PTY. With the capability `processResize`. */
  readonly resize: (size: TerminalSize) => Effect.Effect<void, ClientError>
  /** SIGINT to the process group. */
  readonly interrupt: Effect.Effect<void, ClientError>
  /** SIGKILL to the process group; true if it was running. */
  readonly terminate: Effect.Effect<boolean, ClientError>
  /** What the server retains of the output, and the state of the process. */
  readonly read: (options?: ReadOptions) => Effect.Effect<ReadResult, ClientError>
}

/** The handle of the process that `follower` follows. */
export const make = (follower: ProcessFollower, call: Call, nextWriteId: () => string): RemoteProcess => {
  const { id, subscribe, exitCode, closed } = follower
  const writing = Effect.unsafeMakeSemaphore(1)

  const writePiece = (bytes: Uint8Array) =>
    Effect.suspend(() =>
      call("process/write", { processId: id, chunk: toBase64(bytes), writeId: nextWriteId() }),
    ).pipe(
      Effect.flatMap(({ status }) =>
        status === "accepted" ? Effect.void : Effect.fail(refusal(id, status)),
      ),
    )

  const write = (bytes: Uint8Array) =>
    writing.withPermits(1)(Effect.forEach(pieces(bytes), writePiece, { discard: true }))

  const madeUp = (error: ClientError): ReadResult => ({
    chunks: [],
    nextSeq: follower.last() + 1,
    exited: true,
    exitCode: null,
    closed: true,
    failure: error.message,
    sandboxDenied: false,
  })

  const read = (options: ReadOptions = {}) =>
    Effect.suspend(() => {
      const failure = follower.failure()
      if (failure !== undefined) return Effect.succeed(madeUp(failure))
      return Effect.catchIf(
        call("process/read", { processId: id, ...options }),
        (error) => error.reason === "Disconnected",
        (error) => Effect.succeed(madeUp(error)),
      )
    })

  const events = EventStreams.fromSubscription(subscribe)
  const output = EventStreams.output(events, follower.failure)

  return {
    id,
    events,
    output,
    subscribe,
    exitCode,
    closed,
    write,
    closeStdin: writing.withPermits(1)(
      Effect.suspend(() => Effect.asVoid(call("process/closeStdin", { processId: id }))),
    ),
    resize: ({ rows, columns }) => Effect.asVoid(call("process/resize", { processId: id, rows, columns })),
    read,
    interrupt: Effect.suspend(() =>
      Effect.asVoid(call("process/signal", { processId: id, signal: "interrupt" })),
    ),
    terminate: Effect.suspend(() =>
      Effect.map(call("process/terminate", { processId: id }), ({ running }) => running),
    ),
  }
}

const refusal = (id: string, status: "unknownProcess" | "stdinClosed" | "starting"): ClientError =>
  status === "stdinClosed"
    ? new ClientError({ reason: "StdinClosed", message: `process ${id} has no stdin to write to` })
    : new ClientError({ reason: "UnknownProcess", message: `process ${id} takes no input: ${status}` })
