/// <reference lib="esnext.disposable" preserve="true" />
/** A process for programs without Effect: promises and async iterables over `RemoteProcess`. */
import * as Effect from "effect/Effect"
import type { GrepResult, HistoryResult } from "../protocol/History.ts"
import type { OutputStream, ReadResult, Signal, TerminalSize } from "../protocol/Process.ts"
import type { ScreenResult } from "../protocol/Screen.ts"
import type { WaitResult } from "../protocol/Wait.ts"
import type { Attachment } from "./Attaching.ts"
import { boundary } from "./CallSite.ts"
import * as ByteStreams from "./ByteStreams.ts"
import * as Content from "./Content.ts"
import type { Delivery } from "./Delivery.ts"
import type { CallOptions } from "./GivingUp.ts"
import type { GrepOptions, HistoryOptions } from "./HistoryCalls.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import { iterate, lines, output, promise, roles, text, unawaited } from "./Promises.ts"
import type { EndOptions, ReadOptions, RemoteProcess, RestartOptions, WaitOptions } from "./RemoteProcess.ts"
import type { ScreenOptions } from "./Screen.ts"
import type { LineOptions } from "./TextLines.ts"
import type { ReadableStream, WritableStream } from "./WebTypes.ts"

/**
 * A process on the server. As an async iterable it gives every event from the first; the last one is `closed`, or
 * `failed` where the process can no longer be followed. Every method rejects with a `ClientError`.
 */
export interface ClientProcess extends AsyncIterable<ProcessEvent>, AsyncDisposable {
  /** The process id on the wire, unique in the session. */
  readonly id: string
  /**
   * The id of its first child on the server's host; undefined where the server does not tell it (capability
   * `processPid`), after `attach` by an id, and where the answer to the start was lost with its connection.
   */
  readonly pid: number | undefined
  /** What the server told of a process that `attach` has joined; undefined for a process of this client. */
  readonly attachment: Attachment | undefined
  /** Whether this client may write: now, and whenever that changes, until the process has ended. */
  writing(how?: CallOptions): AsyncIterable<boolean>
  /**
   * Leaves a process that `attach` has joined, which goes on; its events end in `failed` with the reason `Detached`.
   * Rejects with `InvalidOption` for a process of this client.
   */
  detach(how?: CallOptions): Promise<void>
  /** The bytes of one stream, or of all in order, from the first. Throws at the end if the events end in `failed`. */
  output(stream?: OutputStream, how?: CallOptions): AsyncIterable<Uint8Array>
  /** Like `output`, as UTF-8 text in pieces that never cut a character. */
  text(stream?: OutputStream, how?: CallOptions): AsyncIterable<string>
  /**
   * Like `text`, line by line, without the line ends (`\n` or `\r\n`); the last one may have none. Throws
   * `OutputTooLarge` for a line that is longer than `maxLineLength`.
   */
  lines(stream?: OutputStream, options?: LineOptions): AsyncIterable<string>
  /**
   * Its stdin as a stream of the web, whose end closes it. A write waits while the process does not read. Needs
   * `pipeStdin: true` of the start; of a terminal only the writes work.
   */
  readonly stdin: WritableStream
  /**
   * Its stdout, or what its terminal shows, from the first byte, as a stream of the web: to be read once. While nobody
   * reads it, the process waits after at most some 2 MiB. Fails at the end if the events end in `failed`.
   */
  readonly stdout: ReadableStream
  /** Its stderr, likewise. The two may be read together or one after the other; up to 64 KiB of this one wait then. */
  readonly stderr: ReadableStream
  /**
   * Resolves with the exit code, 128 + n for death by signal n, whether the output is read or not. It may be left
   * unawaited: where it rejects, that is no unhandled rejection.
   */
  readonly exitCode: Promise<number>
  /** Resolves when the process has exited and its output is complete. It may be left unawaited. */
  readonly closed: Promise<void>
  /**
   * Resolves, when the process has closed, with its receipt and whether everything in it has arrived here, or what is
   * missing. Needs `receipt: true` of `start`, or of `attach`. It may be left unawaited.
   */
  readonly receipt: Promise<Delivery>
  /**
   * Writes to stdin or the terminal, in call order; waits while the process does not read. A string is sent as UTF-8.
   * Rejects with `StdinClosed` if the process was started with neither `pipeStdin: true` nor `tty: true`, and after its
   * exit.
   */
  write(data: string | Uint8Array, how?: CallOptions): Promise<void>
  /** Closes a piped stdin after all that was written. Needs the capability `processCloseStdin`. */
  closeStdin(how?: CallOptions): Promise<void>
  /** Sets the size of the terminal, in characters. Needs the capability `processResize`. */
  resize(size: TerminalSize, how?: CallOptions): Promise<void>
  /** Sends SIGINT to the process group. */
  interrupt(how?: CallOptions): Promise<void>
  /**
   * Sends a signal to the process group. `terminate`, `hangup` and `quit` need the capability `processSignals`, names
   * (`SIGUSR1`, `USR1`, `SIGRTMIN+1`) and numbers `processDeadlines`.
   */
  signal(name: Signal, how?: CallOptions): Promise<void>
  /** Sends SIGKILL to the process group. Resolves to true if the process was running. */
  terminate(how?: CallOptions): Promise<boolean>
  /**
   * Asks the process to end, and lets the server kill what is left of it and its descendants after the grace. Resolves
   * to true if the process was running, as soon as it has been asked. Needs the capability `processDeadlines`.
   */
  end(options?: EndOptions, how?: CallOptions): Promise<boolean>
  /**
   * Starts a process again that was started with `restart`. One that runs is ended as by `end`, and goes on with its
   * next child; it resolves when that runs. One that is closed is replaced by a new process of its id, to which
   * `attach` leads. Needs the capability `processRestart`.
   */
  restart(options?: RestartOptions, how?: CallOptions): Promise<void>
  /** Reads the output that the server retains, and the state of the process. */
  read(options?: ReadOptions, how?: CallOptions): Promise<ReadResult>
  /**
   * Waits, on the server, until a condition holds, the time has passed, or the process is closed; tells which condition
   * it was (`met`, null for none), what shows it, and what was printed. After a lost connection it begins anew. Needs
   * the capability `processWait`; `port` and `input` can come true with `processWaitPort` and `processWaitInput` only.
   */
  wait(options: WaitOptions, how?: CallOptions): Promise<WaitResult>
  /**
   * Any part of what the process has printed, with its seqs, from the files of the server. Needs `history` of the
   * start, or a server that keeps the output of every process; the capability is `outputHistory`.
   */
  history(options?: HistoryOptions, how?: CallOptions): Promise<HistoryResult>
  /**
   * The lines of what the process has printed that match a pattern, with their numbers; the next page is
   * `from: {byte: nextByte}`. Needs the same as `history`.
   */
  grep(options: GrepOptions, how?: CallOptions): Promise<GrepResult>
  /**
   * What its terminal shows, now or at a seq: as text, as ANSI that paints it on a terminal of that size, and line by
   * line with colors and attributes. Needs the capability `processScreen`, and `tty: true` of the start.
   */
  screen(options?: ScreenOptions, how?: CallOptions): Promise<ScreenResult>
}

/** A process as promises. */
export const fromEffect = (process: RemoteProcess): ClientProcess =>
  boundary(withStreams(process, ByteStreams.make(process)))

const withStreams = (process: RemoteProcess, streams: ByteStreams.ByteStreams): ClientProcess => ({
  get stdin() {
    return streams.stdin
  },
  get stdout() {
    return streams.stdout
  },
  get stderr() {
    return streams.stderr
  },
  lines: (stream, options) => lines(process, stream, options),
  id: process.id,
  pid: process.pid,
  attachment: process.attachment,
  writing: (how) => roles(process, how),
  detach: (how) => promise(process.detach, how),
  [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
  output: (stream, how) => output(process, stream, how),
  text: (stream, how) => text(process, stream, how),
  get exitCode() {
    return unawaited(process.exitCode)
  },
  get closed() {
    return unawaited(process.closed)
  },
  get receipt() {
    return unawaited(process.receipt)
  },
  write: (data, how) => promise(Content.use("write", data, process.write), how),
  closeStdin: (how) => promise(process.closeStdin, how),
  resize: (size, how) => promise(process.resize(size), how),
  interrupt: (how) => promise(process.interrupt, how),
  signal: (name, how) => promise(process.signal(name), how),
  terminate: (how) => promise(process.terminate, how),
  end: (options, how) => promise(process.end(options), how),
  restart: (options, how) => promise(process.restart(options), how),
  read: (options, how) => promise(process.read(options), how),
  wait: (options, how) => promise(process.wait(options), how),
  history: (options, how) => promise(process.history(options), how),
  grep: (options, how) => promise(process.grep(options), how),
  screen: (options, how) => promise(process.screen(options), how),
  [Symbol.asyncDispose]: () =>
    promise(Effect.ignore(process.attachment === undefined ? process.terminate : process.detach)),
})
