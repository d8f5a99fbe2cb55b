/// <reference lib="esnext.disposable" preserve="true" />
/** The client of v0 for programs without Effect: promises and async iterables over `V0ExecClient`. */
import * as Effect from "effect/Effect"
import type { OutputStream } from "../../protocol/Process.ts"
import * as Content from "../Content.ts"
import { boundary } from "../CallSite.ts"
import type { CallOptions } from "../GivingUp.ts"
import type { ProcessEvent } from "../ProcessEvent.ts"
import { type ByArity, ending, iterate, output, promise, type Promised, promised, text } from "../Promises.ts"
import type { V0ExecClient, V0StartOptions, V0Process } from "./V0ExecClient.ts"

/** The members of a process that are the same as promises. */
const calls = { terminate: 0, exited: "value" } as const

/**
 * A process on a v0 server. As an async iterable it gives every event from the first; the last one is `closed` or
 * `failed`.
 */
export interface V0ClientProcess
  extends
    Pick<V0Process, "id" | "pid">,
    Promised<Pick<V0Process, "output">>,
    ByArity<V0Process, typeof calls>,
    AsyncIterable<ProcessEvent>,
    AsyncDisposable {
  /** Like `output`, as UTF-8 text in pieces that never cut a character. */
  text(stream?: OutputStream, how?: CallOptions): AsyncIterable<string>
  /** True once the process has exited, was terminated by this client, or the connection has ended. */
  readonly hasExited: boolean
  /** The exit code once it is known, -1 for death by a signal. */
  readonly exitCode: number | undefined
  /** Writes to the terminal, in call order. A string is sent as UTF-8. Rejects with `Server` without a terminal. */
  write(data: string | Uint8Array, how?: CallOptions): Promise<void>
}

/** A connection to a v0 server, and its processes. Rejects with `ClientError`. */
export interface V0Client
  extends
    Pick<V0ExecClient, "protocolVersion">,
    ByArity<V0ExecClient, { readonly disconnected: "value" }>,
    AsyncDisposable {
  /**
   * Starts a process. Rejects with `Duplicate`, `Server` or `Disconnected`. One whose start is given up is terminated
   * as soon as the server has answered.
   */
  start(options: V0StartOptions, how?: CallOptions): Promise<V0ClientProcess>
  /** Ends the connection; the server then ends every process. */
  close(how?: CallOptions): Promise<void>
}

/** A client as promises; `close` ends it. */
export const fromEffect = (client: V0ExecClient, close: Effect.Effect<void>): V0Client =>
  boundary(
    promised(
      client,
      { disconnected: "value" },
      {
        protocolVersion: client.protocolVersion,
        start: (options: V0StartOptions, how?: CallOptions) =>
          promise(Effect.map(client.start(options), toProcess), how),
        close: (how?: CallOptions) => ending(close, how),
        [Symbol.asyncDispose]: () => promise(close),
      },
    ),
  )

const toProcess = (process: V0Process): V0ClientProcess =>
  boundary(
    promised(process, calls, {
      id: process.id,
      pid: process.pid,
      [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
      output: (stream?: OutputStream, how?: CallOptions) => output(process, stream, how),
      text: (stream?: OutputStream, how?: CallOptions) => text(process, stream, how),
      get hasExited() {
        return process.hasExited()
      },
      get exitCode() {
        return process.exitCode()
      },
      write: (data: string | Uint8Array, how?: CallOptions) =>
        promise(Content.use("write", data, process.write), how),
      [Symbol.asyncDispose]: () => promise(Effect.ignore(process.terminate)),
    }),
  )
