/// <reference lib="esnext.disposable" />
/** The client of v0 for programs without Effect: promises and async iterables over `V0ExecClient`, which decides everything. */
import * as Effect from "effect/Effect"
import { utf8 } from "../../protocol/Bytes.ts"
import type { OutputStream } from "../../protocol/Process.ts"
import type { ClientError } from "../ClientError.ts"
import type { ProcessEvent } from "../ProcessEvent.ts"
import { iterate, outputOf, promise, text } from "../Promises.ts"
import type { V0ExecClient, V0StartOptions } from "./V0ExecClient.ts"
import type { V0Process } from "./V0Process.ts"

/** A process, and the async iterable of its events from the first. */
export interface V0ClientProcess extends AsyncIterable<ProcessEvent>, AsyncDisposable {
  readonly id: string
  /** The pid on the server's machine, where the server knows it. */
  readonly pid: number | undefined
  /** The bytes of one stream, or of all of them as they came. */
  output(stream?: OutputStream): AsyncIterable<Uint8Array>
  /** The same as text, in pieces; a character is never cut. */
  text(stream?: OutputStream): AsyncIterable<string>
  /** True once the process has exited, was terminated from here, or is out of reach. */
  readonly hasExited: boolean
  /** The exit code, once it is known: -1 for death by a signal. */
  readonly exitCode: number | undefined
  /** Resolves when the process has exited or is out of reach, with what `exitCode` is then. */
  readonly exited: Promise<number | undefined>
  /** Writes to the terminal, in call order. */
  write(data: string | Uint8Array): Promise<void>
  /** SIGKILL to the process group; true if the server still knew the process. */
  terminate(): Promise<boolean>
}

export interface V0Client extends AsyncDisposable {
  /** What the server says that it speaks. */
  readonly protocolVersion: string
  start(options: V0StartOptions): Promise<V0ClientProcess>
  /** Resolves with the reason when the connection has ended. */
  readonly disconnected: Promise<ClientError>
  /** Ends the connection, and with it every process. */
  close(): Promise<void>
}

/** The promise form of a client that `close` ends. */
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
