/**
 * A process on the server: its events in order, and the calls on it.
 *
 * When the connection, or events, are lost, the events end in `failed`, and `read` returns a closed state without
 * chunks, with the reason in `failure`.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Features from "../features/Clients.ts"
import type { GrepResult, HistoryResult } from "../features/history/wire.ts"
import type { OutputStream, ReadResult, Signal, TerminalSize } from "../protocol/Process.ts"
import type { Format, ScreenResult } from "../features/screen/wire.ts"
import * as Turn from "../protocol/Turn.ts"
import type { WaitResult } from "../features/wait/wire.ts"
import { type Attachment, detached } from "./Attaching.ts"
import type { Encoded } from "./Calls.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import { pieces } from "./Content.ts"
import * as EventFeed from "./EventFeed.ts"
import { checked, invalid } from "./OptionNames.ts"
import type { ProcessFollower, RoleSubscription } from "./ProcessFollower.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

/** Options of `read`. */
export interface ReadOptions {
  /** Only chunks with a seq above this. Default: all. */
  readonly afterSeq?: number
  /** The most bytes to return, decoded. Chunks are not cut, and at least one is returned. Default: no limit. */
  readonly maxBytes?: number
  /** The wait for an event after `afterSeq`, in milliseconds. Default: 0. */
  readonly waitMs?: number
}

/** Options of `end`. */
export interface EndOptions {
  /** The signal that asks the process to end. Default: SIGTERM. */
  readonly signal?: Signal
  /** Its grace, in milliseconds; 0 kills at once. Default: the `killGraceMs` of its start, or 5,000. */
  readonly graceMs?: number
  /** Forgets the process as soon as it is closed, at once if it is: its id is free. Default: false. */
  readonly remove?: boolean
}

/** Options of `wait`; they are those of the wire. */
export interface WaitOptions {
  /** The conditions: the first that holds ends the wait. Each has exactly one of `exit`, `pattern`, `idleMs` and so on. */
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

/**
 * A place in the output: `{seq}`, `{byte}` (from 0), `{line}` (from 1) or `{time}` (milliseconds since 1970), counted
 * over all streams in the order of seq.
 */
export type OutputPoint = NonNullable<Encoded<"process/history">["from"]>

/** Options of `history`; they are those of the wire. */
export interface HistoryOptions {
  /** The begin. Default: the oldest that is kept. */
  readonly from?: OutputPoint
  /** The end, which is not included. Default: behind the last output. */
  readonly to?: OutputPoint
  /** Instead of `from`: the last lines, so many. */
  readonly tail?: number
  /** The most bytes to return, decoded. Default: 65,536; at most 16 MiB. */
  readonly maxBytes?: number
  /** True for an answer with `times`, when each chunk was taken, and the `sizes` of a PTY. Default: false. */
  readonly times?: boolean
}

/** Options of `grep`; they are those of the wire. */
export interface GrepOptions {
  /** The pattern for lines: RE2 syntax, without classes of Unicode. */
  readonly pattern: string
  /** Letters: `i` (either case), `l` (the pattern is plain text). Default: none. */
  readonly flags?: string
  /** The begin, with the line there. Default: the oldest that is kept. */
  readonly from?: OutputPoint
  /** The end, without the line there. Default: behind the last output. */
  readonly to?: OutputPoint
  /** Lines before each match, at most 100. Default: 0. */
  readonly before?: number
  /** Lines behind each match, at most 100. Default: 0. */
  readonly after?: number
  /** The most matches to return, at most 10,000. Default: 100. */
  readonly maxMatches?: number
}

/** Options of `screen`; they are those of the wire. */
export interface ScreenOptions {
  /** The picture after the output up to and including this seq. Default: now. */
  readonly seq?: number
  /** The returned forms: `text`, `ansi`, `lines`. Default: `["text"]`. */
  readonly formats?: ReadonlyArray<Format>
  /** The most lines to return that have left the screen at its top; the server keeps up to 1,000. Default: 0. */
  readonly scrollback?: number
}

/** A process on the server. */
export interface RemoteProcess extends Features.Calls {
  /** The process id on the wire, unique in the session. */
  readonly id: string
  /**
   * The id of its first child on the server's host; undefined where the server does not tell it (capability
   * `processPid`), after `attach` by an id, and where the answer to the start was lost with its connection.
   */
  readonly pid: number | undefined
  /** The facts about a process that `attach` has joined; undefined for a process of this client. */
  readonly attachment: Attachment | undefined
  /** True while this client may write: now, and at each change, until the process has ended. */
  readonly writing: Stream.Stream<boolean>
  /** The same for loops that do not use `Stream`. Read it to its end, or close it. */
  readonly subscribeWriting: Effect.Effect<RoleSubscription>
  /**
   * Leaves a process that `attach` has joined, which goes on; its events end in `failed` with the reason `Detached`.
   * Fails with `InvalidOption` for a process of this client.
   */
  readonly detach: Effect.Effect<void, ClientError>
  /** Every event from the first, for each run of the stream. The last one is `closed` or `failed`. */
  readonly events: Stream.Stream<ProcessEvent>
  /** The bytes of one stream, or of all in order, from the first. Fails if the events end in `failed`. */
  readonly output: (stream?: OutputStream) => Stream.Stream<Uint8Array, ClientError>
  /**
   * A subscription to the events from the first, for loops that do not use `Stream`. Read it to its end, or close it.
   */
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  /**
   * Completes with the exit code, 128 + n for death by signal n, whether events are consumed or not. As a promise it
   * may be left unawaited: where it rejects, that is no unhandled rejection.
   */
  readonly exitCode: Effect.Effect<number, ClientError>
  /** Completes when the process has exited and its output is complete. */
  readonly closed: Effect.Effect<void, ClientError>
  /**
   * Writes to stdin or the PTY, in call order; waits while the process does not read. Fails with `StdinClosed` if it
   * was started with neither `pipeStdin` nor `tty`, or has exited, and with `UnknownProcess` if the server does not
   * know it.
   */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  /** Closes a piped stdin after all that was written. Needs the capability `processCloseStdin`. */
  readonly closeStdin: Effect.Effect<void, ClientError>
  /** Sets the size of the PTY, in characters. Needs the capability `processResize`. */
  readonly resize: (size: TerminalSize) => Effect.Effect<void, ClientError>
  /** Sends SIGINT to the process group. */
  readonly interrupt: Effect.Effect<void, ClientError>
  /**
   * Sends a signal to the process group. `terminate`, `hangup` and `quit` need the capability `processSignals`, names
   * (`SIGUSR1`, `USR1`, `SIGRTMIN+1`) and numbers `processDeadlines`.
   */
  readonly signal: (name: Signal) => Effect.Effect<void, ClientError>
  /** Sends SIGKILL to the process group; true if the process was running. */
  readonly terminate: Effect.Effect<boolean, ClientError>
  /**
   * Asks the process to end, and lets the server kill what is left of it and its descendants after the grace; true if
   * the process was running. It completes when the process has been asked. Needs the capability `processDeadlines`.
   */
  readonly end: (options?: EndOptions) => Effect.Effect<boolean, ClientError>
  /** Reads the output that the server retains, and the state of the process. */
  readonly read: (options?: ReadOptions) => Effect.Effect<ReadResult, ClientError>
  /**
   * Waits, on the server, until a condition holds, the time has passed, or the process is closed; tells which condition
   * it was (`met`, null for none), what shows it, and what was printed. After a lost connection it begins anew. Needs
   * the capability `processWait`; `port` and `input` can come true with `processWaitPort` and `processWaitInput` only.
   */
  readonly wait: (options: WaitOptions) => Effect.Effect<WaitResult, ClientError>
  /**
   * Any part of what the process has printed, with its seqs, from the files of the server. Needs `history` of the
   * start, or a server that keeps the output of every process; the capability is `outputHistory`.
   */
  readonly history: (options?: HistoryOptions) => Effect.Effect<HistoryResult, ClientError>
  /**
   * The lines of what the process has printed that match a pattern, with their numbers; the next page is
   * `from: {byte: nextByte}`. Needs the same as `history`.
   */
  readonly grep: (options: GrepOptions) => Effect.Effect<GrepResult, ClientError>
  /**
   * The picture of its terminal, now or at a seq: as text, as ANSI that paints it on a terminal of that size, and line
   * by line with colors and attributes. Needs the capability `processScreen`, and `tty: true` of the start.
   */
  readonly screen: (options?: ScreenOptions) => Effect.Effect<ScreenResult, ClientError>
}

/**
 * Facts of a process besides its events.
 * @internal
 */
export interface Facts {
  readonly nextWriteId: () => string
  readonly pid?: number | undefined
  readonly attachment?: Attachment
}

/**
 * The handle of a followed process, without the calls of features.
 * @internal
 */
export const make = (
  follower: ProcessFollower,
  { nextWriteId, pid, attachment }: Facts,
): Omit<RemoteProcess, keyof Features.Calls> => {
  const { id, call, subscribe, exitCode, closed, role } = follower
  const processId = id
  const inTurn = Turn.make()

  const writePiece = (bytes: Uint8Array) =>
    Effect.suspend(() =>
      // A server accepts such a write, and drops it.
      follower.exited()
        ? Effect.fail(hasExited(id))
        : call("process/write", { processId, chunk: bytes, writeId: nextWriteId() }),
    ).pipe(
      Effect.flatMap(({ status }) =>
        status === "accepted" ? Effect.void : Effect.fail(refusal(id, status)),
      ),
    )

  const closedState = (error: ClientError): ReadResult => ({
    chunks: [],
    nextSeq: follower.last() + 1,
    exited: true,
    exitCode: null,
    closed: true,
    failure: error.message,
    sandboxDenied: false,
  })

  const read = (options: ReadOptions) => {
    const failure = follower.failure()
    if (failure !== undefined) return Effect.succeed(closedState(failure))
    return Effect.catchIf(
      call("process/read", { processId, ...options }),
      (error) => error.reason === "Disconnected" || follower.failure()?.reason === "SessionLost",
      (error) => Effect.succeed(closedState(follower.failure() ?? error)),
    )
  }

  const signal = (name: Signal) => Effect.asVoid(call("process/signal", { processId, signal: name }))

  const terminate = (options: EndOptions) =>
    Effect.map(call("process/terminate", { processId, ...options }), ({ running }) => running)

  const detach = Effect.suspend(() => {
    if (follower.failure() !== undefined) return Effect.void
    const left = Effect.asVoid(call("process/detach", { processId }))
    // A process that is forgotten meanwhile is none to leave.
    return Effect.catchIf(
      left,
      ({ reason }) => reason === "Server",
      () => Effect.void,
    ).pipe(Effect.ensuring(Effect.sync(() => follower.fail(detached(id, "left")))))
  })

  const events = EventFeed.fromSubscription(subscribe)

  return {
    id,
    pid,
    attachment,
    writing: EventFeed.fromSubscription(
      Effect.map(role.subscribe, ({ next, close }) => ({
        next: Effect.map(next, (writes) => (writes === undefined ? undefined : [writes])),
        close,
      })),
    ),
    subscribeWriting: role.subscribe,
    detach: attachment === undefined ? Effect.failSync(() => notAttached(id)) : detach,
    events,
    output: EventFeed.outputOf(events, follower.failure),
    subscribe,
    exitCode,
    closed,
    write: (bytes) => inTurn(Effect.forEach(pieces(bytes), writePiece, { discard: true })),
    closeStdin: inTurn(Effect.suspend(() => Effect.asVoid(call("process/closeStdin", { processId })))),
    resize: ({ rows, columns }) => Effect.asVoid(call("process/resize", { processId, rows, columns })),
    interrupt: Effect.suspend(() => signal("interrupt")),
    signal: (name) => Effect.suspend(() => signal(name)),
    terminate: Effect.suspend(() => terminate({})),
    end: checked("end", { signal: true, graceMs: true, remove: true }, (options: EndOptions) =>
      terminate({ ...options, signal: options.signal ?? "SIGTERM" }),
    ),
    read: checked("read", { afterSeq: true, maxBytes: true, waitMs: true }, read),
    wait: checked(
      "wait",
      { until: true, afterSeq: true, timeoutMs: true, maxBytes: true },
      (options: WaitOptions) => call("process/wait", { processId, ...options }),
    ),
    history: checked(
      "history",
      { from: true, to: true, tail: true, maxBytes: true, times: true },
      (options: HistoryOptions) => call("process/history", { processId, ...options }),
    ),
    grep: checked(
      "grep",
      { pattern: true, flags: true, from: true, to: true, before: true, after: true, maxMatches: true },
      (options: GrepOptions) => call("process/grep", { processId, ...options }),
    ),
    screen: checked("screen", { seq: true, formats: true, scrollback: true }, (options: ScreenOptions) =>
      call("process/screen", { processId, ...options }),
    ),
  }
}

const notAttached = (id: string): ClientError =>
  invalid(`process ${id} is no attachment: this client has started it, or its session is its own`)

const refusal = (id: string, status: "unknownProcess" | "stdinClosed" | "starting"): ClientError =>
  status === "stdinClosed"
    ? clientError(
        "StdinClosed",
        `process ${id} has no stdin to write to: it was closed, or the process was started without ` +
          "`pipeStdin: true` (or `tty: true`)",
      )
    : clientError("UnknownProcess", `process ${id} takes no input: ${status}`)

const hasExited = (id: string): ClientError =>
  clientError("StdinClosed", `process ${id} has exited, and takes no input any more`)
