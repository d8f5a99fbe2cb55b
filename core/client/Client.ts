/// <reference lib="esnext.disposable" />
/**
 * The client for programs without Effect: promises and async iterables over `ExecClient`.
 *
 * Failures are thrown as `ClientError`, an `Error` with `reason` and `code`. A loop may be left at any time.
 * `await using` closes a client and terminates a process.
 */
import * as Effect from "effect/Effect"
import { utf8 } from "../protocol/Bytes.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { GrepResult, HistoryResult } from "../protocol/History.ts"
import type { RequestName, ResultOf } from "../protocol/Methods.ts"
import type { OutputStream, ReadResult, Signal, TerminalSize } from "../protocol/Process.ts"
import type { WaitResult } from "../protocol/Wait.ts"
import type { Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as ClientFiles from "./ClientFiles.ts"
import { type ClientHttp, toClientHttp } from "./ClientHttp.ts"
import * as Collected from "./Collected.ts"
import type { Delivery } from "./Delivery.ts"
import type * as ExecClient from "./ExecClient.ts"
import { type CallOptions, givenUp } from "./GivingUp.ts"
import type { GrepOptions, HistoryOptions } from "./HistoryCalls.ts"
import * as Lists from "./Lists.ts"
import { ending, iterate, outputOf, paged, promise, text, unawaited } from "./Promises.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"
import type { AttachOptions } from "./ProcessStarter.ts"
import type { EndOptions, ReadOptions, RemoteProcess, WaitOptions } from "./RemoteProcess.ts"
import type { StartOptions } from "./StartOptions.ts"

/**
 * A process on the server. As an async iterable it gives every event from the first; the last one is `closed`, or
 * `failed` where the process can no longer be followed. Every method rejects with a `ClientError`.
 */
export interface ClientProcess extends AsyncIterable<ProcessEvent>, AsyncDisposable {
  /** The process id on the wire, unique in the session. */
  readonly id: string
  /** The bytes of one stream, or of all in order, from the first. Throws at the end if the events end in `failed`. */
  output(stream?: OutputStream, how?: CallOptions): AsyncIterable<Uint8Array>
  /** Like `output`, as UTF-8 text in pieces that never cut a character. */
  text(stream?: OutputStream, how?: CallOptions): AsyncIterable<string>
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
}

/** A session on a server: its processes, files and HTTP, and every method of the wire. Rejects with `ClientError`. */
export interface Client extends AsyncDisposable {
  /**
   * Names the session on the server: another client resumes it with `resumeSessionId`. Changes with a new session
   * (`onSessionLost: "new"`).
   */
  readonly sessionId: string
  /** The server's host: shell, working directory, platform, capabilities. */
  readonly environmentInfo: EnvironmentInfo
  /**
   * Starts a process, which runs until it exits, is terminated, or the session ends. Rejects with `Duplicate` for a
   * `processId` that this client follows, `ProgramNotFound`, `ProgramNotExecutable`, `WorkingDirectory`, `Server` where
   * the server refuses for another reason, and `Disconnected`.
   */
  start(options: StartOptions, how?: CallOptions): Promise<ClientProcess>
  /**
   * Starts a process, waits until it is closed, and resolves with its exit code, its output as text, and how it ended.
   * Rejects with `OutputTooLarge` when a stream has more bytes than `maxBuffer`, 64 MiB by default (the process is then
   * terminated), and with `reject: true` with `Failed` for every end but an exit with 0.
   */
  run(options: Collected.RunOptions, how?: CallOptions): Promise<Collected.Finished>
  /**
   * Follows a process of a resumed session from the event after seq `after` (default 0: from the first). Rejects with
   * `UnknownProcess` if the session has no such process (any more), and with `EventsLost` if the server no longer
   * retains those events.
   */
  attach(id: string, after?: number, options?: AttachOptions & CallOptions): Promise<ClientProcess>
  /**
   * The processes that the server has, oldest first; a closed one until it is forgotten. Of the own session, or with
   * `sessions: "all"` of every one, where the server lets its clients see that. Needs the capability `processList`.
   */
  list(options?: Lists.ListOptions, how?: CallOptions): AsyncIterable<Lists.ListedProcess>
  /** The sessions that the server has, by their numbers: ids are secrets. Needs the capability `processList`. */
  listSessions(options?: Lists.ListSessionsOptions, how?: CallOptions): AsyncIterable<Lists.ListedSession>
  /** The files of the server's host. */
  readonly fs: ClientFiles.ClientFiles
  /** HTTP requests that the server makes. */
  readonly http: ClientHttp
  /** Sends a request of the method table: params as on the wire, the result decoded. Without `timeout` it has no deadline. */
  call<M extends RequestName>(method: M, params: Encoded<M>, how?: CallOptions): Promise<ResultOf<M>>
  /** Resolves with the reason when the connection has ended and will not be replaced. */
  readonly disconnected: Promise<ClientError>
  /** The same client as effects. */
  readonly effect: ExecClient.ExecClient
  /**
   * Ends the connection. A server behind a socket keeps the session, and its processes, for a while (80 seconds by
   * default); a server that was started by this client, or runs in this program, ends with it.
   */
  close(how?: CallOptions): Promise<void>
}

/** A client as promises; `close` ends it. */
export const fromEffect = (client: ExecClient.ExecClient, close: Effect.Effect<void>): Client => ({
  get sessionId() {
    return client.sessionId
  },
  get environmentInfo() {
    return client.environmentInfo
  },
  start: (options, how) => promise(Effect.map(client.start(options), toProcess), how),
  // The promise rejects with the reason of the signal at once; the process is terminated by its start.
  run: (options, how) => promise(givenUp(run(client, options), { signal: options?.signal }), how),
  attach: (id, after, { receipt, ...how } = {}) =>
    promise(Effect.map(client.attach(id, after, receipt === undefined ? {} : { receipt }), toProcess), how),
  list: (options, how) => paged(Lists.processes(client.call, options), how),
  listSessions: (options, how) => paged(Lists.sessions(client.call, options), how),
  fs: ClientFiles.make(client.fs),
  http: toClientHttp(client.http),
  call: (method, params, how) => promise(client.call(method, params), how),
  get disconnected() {
    return promise(client.disconnected)
  },
  effect: client,
  close: (how) => ending(close, how),
  [Symbol.asyncDispose]: () => promise(close),
})

/** Runs a process to its end. Given up, it terminates the process, also one that starts too late. */
const run = (client: ExecClient.ExecClient, options: Collected.RunOptions) =>
  Effect.flatMap(Effect.clock, (clock) => {
    let over = false
    let started: RemoteProcess | undefined
    const stop = () => {
      if (over && started !== undefined) void unawaited(started.terminate)
    }
    const start = (starting: StartOptions) =>
      promise(client.start(starting)).then((process) => {
        started = process
        stop()
        return toProcess(process)
      })
    const finished = Effect.tryPromise({
      try: () =>
        Collected.run(
          {
            start,
            now: () => clock.unsafeCurrentTimeMillis(),
            platform: client.environmentInfo.platformOs ?? "linux",
          },
          options,
        ),
      catch: (error) => error,
    })
    return Effect.onInterrupt(finished, () =>
      Effect.sync(() => {
        over = true
        stop()
      }),
    )
  })

const toProcess = (process: RemoteProcess): ClientProcess => ({
  id: process.id,
  [Symbol.asyncIterator]: () => iterate(process, (event) => event)[Symbol.asyncIterator](),
  output: (stream, how) => iterate(process, (event) => outputOf(event, stream)?.bytes, how),
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
  write: (data, how) => promise(process.write(typeof data === "string" ? utf8.encode(data) : data), how),
  closeStdin: (how) => promise(process.closeStdin, how),
  resize: (size, how) => promise(process.resize(size), how),
  interrupt: (how) => promise(process.interrupt, how),
  signal: (name, how) => promise(process.signal(name), how),
  terminate: (how) => promise(process.terminate, how),
  end: (options, how) => promise(process.end(options), how),
  read: (options, how) => promise(process.read(options), how),
  wait: (options, how) => promise(process.wait(options), how),
  history: (options, how) => promise(process.history(options), how),
  grep: (options, how) => promise(process.grep(options), how),
  [Symbol.asyncDispose]: () => promise(Effect.ignore(process.terminate)),
})
