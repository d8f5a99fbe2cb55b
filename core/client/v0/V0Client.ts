/// <reference lib="esnext.disposable" preserve="true" />
/** The client of v0 for programs without Effect: promises and async iterables over `V0ExecClient`. */
import * as Effect from "effect/Effect"
import type { OutputStream } from "../../protocol/Process.ts"
import type { ClientError } from "../ClientError.ts"
import * as Content from "../Content.ts"
import { boundary } from "../CallSite.ts"
import type { CallOptions } from "../GivingUp.ts"
import type { ProcessEvent } from "../ProcessEvent.ts"
import { ending, iterate, output, promise, text } from "../Promises.ts"
import type { V0ExecClient, V0StartOptions, V0Process } from "./V0ExecClient.ts"

/**
 * A process on a v0 server. As an async iterable it gives every event from the first; the last one is `closed` or
 * `failed`.
 */
export interface V0ClientProcess extends AsyncIterable<ProcessEvent>, AsyncDisposable {
  /** The process id on the wire. */
  readonly id: string
  /** The pid on the server's host, if the server tells it. */
  readonly pid: number | undefined
  /** The bytes of one stream, or of all in the order of arrival. Throws at the end if the events end in `failed`. */
  output(stream?: OutputStream, how?: CallOptions): AsyncIterable<Uint8Array>
  /** Like `output`, as UTF-8 text in pieces that never cut a character. */
  text(stream?: OutputStream, how?: CallOptions): AsyncIterable<string>
  /** True once the process has exited, was terminated by this client, or the connection has ended. */
  readonly hasExited: boolean
  /** The exit code once it is known, -1 for death by a signal. */
  readonly exitCode: number | undefined
  /** Resolves when the process has exited or the connection has ended, with what `exitCode` is then. */
  readonly exited: Promise<number | undefined>
  /** Writes to the terminal, in call order. A string is sent as UTF-8. Rejects with `Server` without a terminal. */
  write(data: string | Uint8Array, how?: CallOptions): Promise<void>
  /** Sends SIGKILL to the process group. Resolves to true if the server still knew the process. */
  terminate(how?: CallOptions): Promise<boolean>
}

/** A connection to a v0 server, and its processes. Rejects with `ClientError`. */
export interface V0Client extends AsyncDisposable {
  /** The protocol version that the server announces, such as `exec-server.v0`. */
  readonly protocolVersion: string
  /**
   * Starts a process. Rejects with `Duplicate`, `Server` or `Disconnected`. One whose start is given up is terminated
   * as soon as the server has answered.
   */
  start(options: V0StartOptions, how?: CallOptions): Promise<V0ClientProcess>
  /** Resolves with the reason when the connection has ended. */
  readonly disconnected: Promise<ClientError>
  /** Ends the connection; the server then ends every process. */
  close(how?: CallOptions): Promise<void>
}

/** A client as promises; `close` ends it. */
export const fromEffect = (client: V0ExecClient, close: Effect.Effect<void>): V0Client =>
  boundary(promises(client, close))

const promises = (client: V0ExecClient, close: Effect.Effect<void>): V0Client => ({
  protocolVersion: client.protocolVersion,
  start: (options, how) =>
    promise(
      Effect.map(client.start(options), (process) => boundary(toProcess(process))),
      how,
    ),
  get disconnected() {
    return promise(client.disconnected)
  },
  close: (how) => ending(close, how),
  [Symbol.asyncDispose]: () => promise(close),
})

const toProcess = (process: V0Process): V0ClientProcess => ({
  id: process.id,
  pid: process.pid,
  [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
  output: (stream, how) => output(process, stream, how),
  text: (stream, how) => text(process, stream, how),
  get hasExited() {
    return process.hasExited()
  },
  get exitCode() {
    return process.exitCode()
  },
  get exited() {
    return promise(process.exited)
  },
  write: (data, how) => promise(Content.use("write", data, process.write), how),
  terminate: (how) => promise(process.terminate, how),
  [Symbol.asyncDispose]: () => promise(Effect.ignore(process.terminate)),
})
