/// <reference lib="esnext.disposable" preserve="true" />
/** A process for programs without Effect: promises and async iterables over `RemoteProcess`. */
import * as Effect from "effect/Effect"
import * as Features from "../features/Clients.ts"
import type { OutputStream } from "../protocol/Process.ts"
import { boundary } from "./CallSite.ts"
import * as ByteStreams from "./ByteStreams.ts"
import * as Content from "./Content.ts"
import type { CallOptions } from "./GivingUp.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import { iterate, lines, output, promise, type ByArity, type Promised, promised, text } from "./Promises.ts"
import type { RemoteProcess } from "./RemoteProcess.ts"
import type { LineOptions } from "./TextLines.ts"
import type { ReadableStream, WritableStream } from "./ByteStreams.ts"

/** The members of a process that are the same as promises. */
const calls = {
  detach: 0,
  closeStdin: 0,
  resize: 1,
  interrupt: 0,
  signal: 1,
  terminate: 0,
  end: 1,
  read: 1,
  wait: 1,
  history: 1,
  grep: 1,
  screen: 1,
  writing: 0,
  exitCode: "value",
  closed: "value",
  ...Features.promises,
} as const

/**
 * A process on the server. As an async iterable it gives every event from the first; the last one is `closed`, or
 * `failed` where the process can no longer be followed. Every method rejects with a `ClientError`.
 */
export interface ClientProcess
  extends
    Pick<RemoteProcess, "id" | "pid" | "attachment">,
    Promised<Pick<RemoteProcess, "output">>,
    ByArity<RemoteProcess, typeof calls>,
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
   * Its stdout, or what its terminal shows, from the first byte, as a stream of the web: to be read once. Without a
   * reader the process waits after at most some 2 MiB. Fails at the end if the events end in `failed`.
   */
  readonly stdout: ReadableStream
  /** Its stderr, likewise. The two may be read together or one after the other; up to 64 KiB of this one wait then. */
  readonly stderr: ReadableStream
  /**
   * Writes to stdin or the terminal, in call order; waits while the process does not read. A string is sent as UTF-8.
   * Rejects with `StdinClosed` if the process was started with neither `pipeStdin: true` nor `tty: true`, and after its
   * exit.
   */
  write(data: string | Uint8Array, how?: CallOptions): Promise<void>
}

/** A process as promises. */
export const fromEffect = (process: RemoteProcess): ClientProcess => {
  const streams = ByteStreams.make(process)
  return boundary(
    promised(process, calls, {
      get stdin() {
        return streams.stdin
      },
      get stdout() {
        return streams.stdout
      },
      get stderr() {
        return streams.stderr
      },
      id: process.id,
      pid: process.pid,
      attachment: process.attachment,
      [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
      output: (stream?: OutputStream, how?: CallOptions) => output(process, stream, how),
      text: (stream?: OutputStream, how?: CallOptions) => text(process, stream, how),
      lines: (stream?: OutputStream, options?: LineOptions) => lines(process, stream, options),
      write: (data: string | Uint8Array, how?: CallOptions) =>
        promise(Content.use("write", data, process.write), how),
      [Symbol.asyncDispose]: () =>
        promise(Effect.ignore(process.attachment === undefined ? process.terminate : process.detach)),
    }),
  )
}
