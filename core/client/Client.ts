/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The client for programs without Effect: promises and async iterables over `ExecClient`.
 *
 * Failures are thrown as `ClientError`, an `Error` with `reason` and `code`. A loop may be left at any time.
 * `await using` closes a client and terminates a process.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { abandonable } from "../protocol/Abandon.ts"
import type { AttachOptions, AttachTarget } from "./Attaching.ts"
import type { Calls, Params } from "./Calls.ts"
import { boundary } from "./CallSite.ts"
import * as ClientFiles from "./ClientFiles.ts"
import { type ClientHttp, toClientHttp } from "./ClientHttp.ts"
import * as ClientProcess from "./ClientProcess.ts"
import * as Command from "./command/Command.ts"
import type * as ExecClient from "./ExecClient.ts"
import { type CallOptions, givenUp } from "./GivingUp.ts"
import type { ListedProcess } from "./Lists.ts"
import { type ByArity, ending, promise, promised } from "./Promises.ts"
import type { Content, Encoding, Result } from "./RunResult.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { StartOptions } from "./StartOptions.ts"

export type { ClientProcess } from "./ClientProcess.ts"

/** The members of a client that are the same as promises. */
const calls = { list: 1, listSessions: 1, disconnected: "value" } as const

/** A session on a server: its processes, files and HTTP, and every method of the wire. Rejects with `ClientError`. */
export interface Client
  extends
    Pick<ExecClient.ExecClient, "sessionId" | "environmentInfo">,
    ByArity<ExecClient.ExecClient, typeof calls>,
    AsyncDisposable {
  /**
   * Starts a process, which runs until it exits, is terminated, or the session ends. Rejects with `Duplicate` for a
   * `processId` that this client follows, `ProgramNotFound`, `ProgramNotExecutable`, `WorkingDirectory`, `Server` where
   * the server refuses for another reason, and `Disconnected`.
   */
  start(options: StartOptions, how?: CallOptions): Promise<ClientProcess.ClientProcess>
  /**
   * Starts a process, waits until it is closed, and resolves with its exit code, its output as text, and how it ended.
   * Rejects with `OutputTooLarge` when a stream has more bytes than `maxBuffer`, 64 MiB by default (the process is then
   * terminated), with `InputFailed`, and with `reject: true` with `Failed` for every end but an exit with 0.
   */
  run<E extends Encoding = "utf8">(options: RunOptions<E>, how?: CallOptions): Promise<Result<Content<E>>>
  /**
   * Commands as templates: `` await client.$`git log -n ${n}` `` resolves with the result, and rejects with `Failed`
   * unless that is an exit with 0. No shell sees the values. With options it makes another `$`: `client.$({ cwd })`.
   */
  readonly $: Command.Dollar
  /**
   * Follows a process of a resumed session from the event after seq `after` (default 0: from the first). Rejects with
   * `UnknownProcess` if the session has no such process (any more), with `EventsLost` if the server no longer retains
   * those events, and with `SessionLost` if the session is lost, before or meanwhile.
   *
   * With a target instead of an id it attaches to a process of this session or another one, beside its owner and
   * others, as a viewer or its writer; a `gap` tells what is no longer retained. It needs the capability
   * `processAttach`, and for other sessions `processAttachAll` or their id. The process goes on without this client:
   * `await using` leaves it.
   */
  attach(
    target: string | AttachTarget,
    after?: number,
    options?: AttachOptions & CallOptions,
  ): Promise<ClientProcess.ClientProcess>
  /** The files of the server's host. */
  readonly fs: ClientFiles.ClientFiles
  /** HTTP requests that the server makes. */
  readonly http: ClientHttp
  /**
   * Sends a request of the method table: params as on the wire (a `chunk` may also be bytes, which become its base64),
   * the result decoded. Without `timeout` it has no deadline.
   */
  call<M extends keyof Calls>(method: M, params: Params<M>, how?: CallOptions): Promise<Calls[M]["result"]>
  /** The same client as effects. */
  readonly effect: ExecClient.ExecClient
  /**
   * Ends the connection. A server behind a socket keeps the session, and its processes, for a while (80 seconds by
   * default), and counts them in its limits; a server that was started by this client, or runs in this program, ends
   * with it. With `end: true` the session ends at once, and every process of it is killed, also those of earlier
   * clients of it; a server without the capability `sessionEnd` keeps the empty session for that while.
   */
  close(options?: CloseOptions): Promise<void>
}

/** Options of `close`. */
export interface CloseOptions extends CallOptions {
  /** True to end the session and its processes at once. Default: false. */
  readonly end?: boolean
}

/** A client as promises; `close` ends it. */
export const fromEffect = (client: ExecClient.ExecClient, close: Effect.Effect<void>): Client =>
  boundary(promised(client, calls, own(client, close)), ["$"])

const own = (
  client: ExecClient.ExecClient,
  close: Effect.Effect<void>,
): Omit<Client, keyof typeof calls> => ({
  get sessionId() {
    return client.sessionId
  },
  get environmentInfo() {
    return client.environmentInfo
  },
  start: (options, how) => promise(Effect.map(client.start(options), ClientProcess.fromEffect), how),
  // A caller that gives up does not wait until the process is terminated.
  run: (options, how) => promise(givenUp(abandonable(client.run(options)), { signal: options?.signal }), how),
  $: Command.make(client.runner),
  attach: (target, after, { signal, timeout, ...options } = {}) =>
    promise(Effect.map(client.attach(target, after, options), ClientProcess.fromEffect), {
      ...(signal === undefined ? {} : { signal }),
      ...(timeout === undefined ? {} : { timeout }),
    }),
  fs: ClientFiles.make(client.fs),
  http: toClientHttp(client.http),
  call: (method, params, how) => promise(client.call(method, params), how),
  effect: client,
  close: ({ end = false, ...how } = {}) =>
    ending(end ? Effect.andThen(endSession(client), close) : close, how),
  [Symbol.asyncDispose]: () => promise(close),
})

/** The time that a server has to end a session and kill its processes. */
const endDeadline = "5 seconds"

/** Ends the session, or where the server cannot do that, what runs in it. One that does not answer holds nothing up. */
const endSession = (client: ExecClient.ExecClient): Effect.Effect<void> =>
  client.environmentInfo.capabilities?.sessionEnd === true
    ? client.call("session/end", {}).pipe(Effect.timeout(endDeadline), Effect.ignore)
    : endProcesses(client)

const endProcesses = (client: ExecClient.ExecClient): Effect.Effect<void> => {
  const terminate = ({ processId }: ListedProcess) =>
    Effect.ignore(client.call("process/terminate", { processId }))
  return client.list({ states: ["starting", "running", "exited"] }).pipe(
    Stream.runForEachArray((page) => Effect.forEach(page, terminate, { concurrency: 16, discard: true })),
    Effect.timeout(endDeadline),
    Effect.ignore,
  )
}
