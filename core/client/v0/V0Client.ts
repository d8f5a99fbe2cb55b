/// <reference lib="esnext.disposable" />
/** The client of v0 for programs without Effect: promises and async iterables over `V0ExecClient`. */
import * as Effect from "effect/Effect"
import { utf8 } from "../../protocol/Bytes.ts"
import type { OutputStream } from "../../protocol/Process.ts"
import type { ClientError } from "../ClientError.ts"
import type { ProcessEvent } from "../ProcessEvent.ts"
import { iterate, outputOf, promise, text } from "../Promises.ts"
import type { V0ExecClient, V0StartOptions } from "./V0ExecClient.ts"
import type { V0Process } from "./V0Process.ts"

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
  output(stream?: OutputStream): AsyncIterable<Uint8Array>
  /** Like `output`, as UTF-8 text in pieces that never cut a character. */
  text(stream?: OutputStream): AsyncIterable<string>
  /** True once the process has exited, was terminated by this client, or the connection has ended. */
  readonly hasExited: boolean
  /** The exit code once it is known, -1 for death by a signal. */
  readonly exitCode: number | undefined
  /** Resolves when the process has exited or the connection has ended, with what `exitCode` is then. */
  readonly exited: Promise<number | undefined>
  /** Writes to the terminal, in call order. A string is sent as UTF-8. Rejects with `Server` without a terminal. */
  write(data: string | Uint8Array): Promise<void>
  /** Sends SIGKILL to the process group. Resolves to true if the server still knew the process. */
  terminate(): Promise<boolean>
}

/** A connection to a v0 server, and its processes. Rejects with `ClientError`. */
export interface V0Client extends AsyncDisposable {
  /** The protocol version that the server announces, such as `exec-server.v0`. */
  readonly protocolVersion: string
  /** Starts a process. Rejects with `Duplicate`, `Server` or `Disconnected`. */
  start(options: V0StartOptions): Promise<V0ClientProcess>
  /** Resolves with the reason when the connection has ended. */
  readonly disconnected: Promise<ClientError>
  /** Ends the connection; the server then ends every process. */
  close(): Promise<void>
}

/** A client as promises; `close` ends it. */
export const fromEffect = (client: V0ExecClient, close: Effect.Effect<void>): V0Client => ({
  protocolVersion: client.protocolVersion,
  start: (options) => promise(Effect.map(client.start(options), toProcess)),
  get disconnected() {
    return promise(client.disconnected)
  },
  close: () => promise(close),
  [Symbol.asyncDispose]: () => promise(close),
})

const toProcess = (process: V0Process): V0ClientProcess => ({
  id: process.id,
  pid: process.pid,
  [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
  output: (stream) => iterate(process, (event) => outputOf(event, stream)?.bytes),
  text: (stream) => text(process, stream),
  get hasExited() {
    return process.hasExited()
  },
  get exitCode() {
    return process.exitCode()
  },
  get exited() {
    return promise(process.exited)
  },
  write: (data) => promise(process.write(typeof data === "string" ? utf8.encode(data) : data)),
  terminate: () => promise(process.terminate),
  [Symbol.asyncDispose]: () => promise(Effect.ignore(process.terminate)),
})
