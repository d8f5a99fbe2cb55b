/// <reference lib="esnext.disposable" />
/**
 * The client for programs without Effect: promises and async iterables over `ExecClient`.
 *
 * Nothing is decided here. Failures are thrown as `ClientError`, a real `Error` with `reason` and `code`.
 * Loops may be left at any time. `await using` closes a client and terminates a process.
 */
import * as Effect from "effect/Effect"
import { utf8, utf8Decoder } from "../protocol/Bytes.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { RequestName, ResultOf } from "../protocol/Methods.ts"
import type { OutputStream, ReadResult, TerminalSize } from "../protocol/Process.ts"
import type { Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as ClientFiles from "./ClientFiles.ts"
import { type ClientHttp, toClientHttp } from "./ClientHttp.ts"
import type * as ExecClient from "./ExecClient.ts"
import { iterate, outputOf, promise, text } from "./Promises.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import type { ReadOptions, RemoteProcess } from "./RemoteProcess.ts"
import type { StartOptions } from "./StartOptions.ts"

/** A process, and the async iterable of its events from the first. */
export interface ClientProcess extends AsyncIterable<ProcessEvent>, AsyncDisposable {
  readonly id: string
  /** The bytes of one stream, or of all of them in order. */
  output(stream?: OutputStream): AsyncIterable<Uint8Array>
  /** The same as text, in pieces; a character is never cut. */
  text(stream?: OutputStream): AsyncIterable<string>
  /** The exit code; 128 + n for death by signal n. Needs nobody to read the output. */
  readonly exitCode: Promise<number>
  /** Resolves when the process has exited and no output follows. */
  readonly closed: Promise<void>
  /** Writes to stdin or the terminal, in call order; waits while the child does not read. */
  write(data: string | Uint8Array): Promise<void>
  /** Ends a piped stdin behind what was written. With the capability `processCloseStdin`. */
  closeStdin(): Promise<void>
  /** Sets the size of the terminal. With the capability `processResize`. */
  resize(size: TerminalSize): Promise<void>
  /** SIGINT to the process group. */
  interrupt(): Promise<void>
  /** SIGKILL to the process group; true if it was running. */
  terminate(): Promise<boolean>
  /** What the server retains of the output, and the state of the process. */
  read(options?: ReadOptions): Promise<ReadResult>
}

/** What a finished process left. A terminal's output is in `stdout`. */
export interface Finished {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface Client extends AsyncDisposable {
  readonly sessionId: string
  readonly environmentInfo: EnvironmentInfo
  start(options: StartOptions): Promise<ClientProcess>
  /** Runs a process to its end and collects its output as text. */
  run(options: StartOptions): Promise<Finished>
  /** Follows a process of a resumed session from the event after seq `after`. */
  attach(id: string, after?: number): Promise<ClientProcess>
  /** The files of the server's machine. */
  readonly fs: ClientFiles.ClientFiles
  /** HTTP requests that the server makes. */
  readonly http: ClientHttp
  /** Any method of the wire. */
  call<M extends RequestName>(method: M, params: Encoded<M>): Promise<ResultOf<M>>
  /** Resolves with the reason when the connection has ended and is not replaced. */
  readonly disconnected: Promise<ClientError>
  /** The same client for programs with Effect. */
  readonly effect: ExecClient.ExecClient
  /** Ends the connection. What the server then does with running processes depends on the transport. */
  close(): Promise<void>
}

/** The promise form of a client that `close` ends. */
export const fromEffect = (client: ExecClient.ExecClient, close: Effect.Effect<void>): Client => ({
  sessionId: client.sessionId,
  environmentInfo: client.environmentInfo,
  start: (options) => promise(Effect.map(client.start(options), toProcess)),
  run: (options) => promise(Effect.map(client.start(options), toProcess)).then(collect),
  attach: (id, after) => promise(Effect.map(client.attach(id, after), toProcess)),
  fs: ClientFiles.make(client.fs),
  http: toClientHttp(client.http),
  call: (method, params) => promise(client.call(method, params)),
  get disconnected() {
    return promise(client.disconnected)
  },
  effect: client,
  close: () => promise(close),
  [Symbol.asyncDispose]: () => promise(close),
})

const toProcess = (process: RemoteProcess): ClientProcess => ({
  id: process.id,
  [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
  output: (stream) => iterate(process, (event) => outputOf(event, stream)?.bytes),
  text: (stream) => text(process, stream),
  get exitCode() {
    return promise(process.exitCode)
  },
  get closed() {
    return promise(process.closed)
  },
  write: (data) => promise(process.write(typeof data === "string" ? utf8.encode(data) : data)),
  closeStdin: () => promise(process.closeStdin),
  resize: (size) => promise(process.resize(size)),
  interrupt: () => promise(process.interrupt),
  terminate: () => promise(process.terminate),
  read: (options) => promise(process.read(options)),
  [Symbol.asyncDispose]: () => promise(Effect.ignore(process.terminate)),
})

const collect = async (process: ClientProcess): Promise<Finished> => {
  const decoders = { stdout: utf8Decoder(), stderr: utf8Decoder() }
  const texts = { stdout: "", stderr: "" }
  for await (const event of process) {
    const output = outputOf(event, undefined)
    if (output === undefined) continue
    const stream = output.stream === "stderr" ? "stderr" : "stdout"
    texts[stream] += decoders[stream].decode(output.bytes, { stream: true })
  }
  return {
    exitCode: await process.exitCode,
    stdout: texts.stdout + decoders.stdout.decode(),
    stderr: texts.stderr + decoders.stderr.decode(),
  }
}
