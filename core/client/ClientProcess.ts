/// <reference lib="esnext.disposable" preserve="true" />
/** A process for programs without Effect: promises and async iterables over `RemoteProcess`. */
import * as Effect from "effect/Effect"
import type { OutputStream } from "../protocol/Process.ts"
import { boundary } from "./CallSite.ts"
import * as ByteStreams from "./ByteStreams.ts"
import * as Content from "./Content.ts"
import type { Delivery } from "./Delivery.ts"
import type { CallOptions } from "./GivingUp.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import {
  iterate,
  lines,
  output,
  promise,
  type Promised,
  promised,
  roles,
  text,
  unawaited,
} from "./Promises.ts"
import type { RemoteProcess } from "./RemoteProcess.ts"
import type { LineOptions } from "./TextLines.ts"
import type { ReadableStream, WritableStream } from "./WebTypes.ts"

/** The calls on a process that are the same as promises, with how many arguments each takes. */
const calls = {
  detach: 0,
  closeStdin: 0,
  resize: 1,
  interrupt: 0,
  signal: 1,
  terminate: 0,
  end: 1,
  restart: 1,
  read: 1,
  wait: 1,
  history: 1,
  grep: 1,
  screen: 1,
} as const

/**
 * A process on the server. As an async iterable it gives every event from the first; the last one is `closed`, or
 * `failed` where the process can no longer be followed. Every method rejects with a `ClientError`.
 */
export interface ClientProcess
  extends
    Pick<RemoteProcess, "id" | "pid" | "attachment">,
    Promised<Pick<RemoteProcess, "writing" | "output" | keyof typeof calls>>,
    AsyncIterable<ProcessEvent>,
    AsyncDisposable {
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
}

/** A process as promises. */
export const fromEffect = (process: RemoteProcess): ClientProcess =>
  boundary(withStreams(process, ByteStreams.make(process)))

const withStreams = (process: RemoteProcess, streams: ByteStreams.ByteStreams): ClientProcess => ({
  ...promised(process, calls),
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
  [Symbol.asyncDispose]: () =>
    promise(Effect.ignore(process.attachment === undefined ? process.terminate : process.detach)),
})
