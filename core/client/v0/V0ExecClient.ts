/**
 * A client of servers that speak the first wire, v0: starts processes and follows them to their exit.
 *
 * It lives in a scope, whose end closes the connection; the server then ends every process. Nothing can be resumed:
 * when the connection is lost, every call fails, and every process has exited without a code.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Fork from "../../protocol/Fork.ts"
import { toBase64 } from "../../protocol/Bytes.ts"
import * as V0 from "../../protocol/dialect/v0.ts"
import type { Json } from "../../protocol/Json.ts"
import * as Shape from "../../protocol/shape/index.ts"
import type { Transport } from "../../transport/Transport.ts"
import * as Activity from "../Activity.ts"
import { type ClientError, clientError } from "../ClientError.ts"
import * as FlowControl from "../FlowControl.ts"
import * as Ids from "../Ids.ts"
import * as ClientConnection from "../ClientConnection.ts"
import * as OptionNames from "../OptionNames.ts"
import { type Open, toClientError } from "../Connector.ts"
import type * as Stream from "effect/Stream"
import type { OutputStream } from "../../protocol/Process.ts"
import * as Turn from "../../protocol/Turn.ts"
import * as EventFeed from "../EventFeed.ts"
import { pieces } from "../Content.ts"
import { failed, type ProcessEvent } from "../ProcessEvent.ts"

/** Options of a client of the first wire. Every one has a default. */
export interface Options {
  /** The name of the client in the handshake. Default: `procwire`. */
  readonly clientName?: string
  /** Deadline of the handshake; numbers are milliseconds. Default: 10 seconds. */
  readonly initializeTimeout?: Duration.Input
  /** Hears what the client is busy with, so that an idle client need not keep its program alive. */
  readonly activity?: Activity.Activity
}

/**
 * Options of a start. `argv`, `cwd` (absolute) and `env` (the whole environment) are required: a v0 server reports
 * nothing that defaults could be made from.
 */
export interface V0StartOptions extends Omit<Shape.Encoded<typeof V0.ExecParams>, "processId" | "tty"> {
  /** The program, looked up in the PATH of `env`, and its arguments. */
  readonly argv: ReadonlyArray<string>
  /** An absolute native path. */
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Unique among the processes that run. Default: a random one. */
  readonly processId?: string
  /** Runs the process in a PTY, which is also what makes it take input. Default: false. */
  readonly tty?: boolean
  /** The most bytes of output that the server sends, for each stream. Default: 1 MiB. */
  readonly outputBytesCap?: number
  /** Replaces the `argv[0]` that the process sees. Default: as given in `argv`. */
  readonly arg0?: string | null
}

const names = {
  argv: true,
  cwd: true,
  env: true,
  processId: true,
  tty: true,
  outputBytesCap: true,
  arg0: true,
} satisfies OptionNames.Names<V0StartOptions>

/** A client of the first wire: it starts processes, and nothing else. */
export interface V0ExecClient {
  /** The protocol version that the server announces, such as `exec-server.v0`. */
  readonly protocolVersion: string
  /**
   * Starts a process. It lives on when the effect has succeeded; interrupting the effect terminates it. Fails with
   * `Duplicate`, `Server` or `Disconnected`.
   */
  readonly start: (options: V0StartOptions) => Effect.Effect<V0Process, ClientError>
  /** Like `start`; the end of the scope terminates the process. */
  readonly startScoped: (options: V0StartOptions) => Effect.Effect<V0Process, ClientError, Scope.Scope>
  /** Completes with the reason when the connection has ended. */
  readonly disconnected: Effect.Effect<ClientError>
}

/** A client over one transport, or over the one that an effect opens. */
export const make = (
  source: Transport | Open,
  { clientName = "procwire", initializeTimeout = "10 seconds", activity = Activity.make() }: Options = {},
): Effect.Effect<V0ExecClient, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* Fork.inScope
    const nextId = yield* Ids.make
    const flow = FlowControl.make((held) => connection?.hold(held))
    const processes = makeProcesses({ flow, fork, activity })
    let connection: ClientConnection.ClientConnection<unknown> | undefined

    const transport = yield* Effect.isEffect(source)
      ? Effect.mapError(source, toClientError)
      : Effect.succeed(source)
    const made = (connection = yield* ClientConnection.make(transport, {
      initialize: (ask) => call(ask, "initialize", { clientName }),
      timeout: initializeTimeout,
      flow,
      take: processes.take,
    }))
    const { greeting, lost } = made
    const ask: ClientConnection.Ask = (...request) => activity.during(made.ask(...request))

    const disconnected = Deferred.makeUnsafe<ClientError>()
    const end = (why: string) => {
      const error = ClientConnection.disconnected(why)
      processes.end(error)
      Deferred.doneUnsafe(disconnected, Effect.succeed(error))
    }
    yield* Effect.map(lost, end).pipe(
      Effect.onInterrupt(() => Effect.sync(() => end("the client was closed"))),
      Effect.interruptible,
      Effect.forkScoped,
    )

    const terminate = (processId: string) =>
      Effect.map(call(ask, "command/exec/terminate", { processId }), ({ running }) => running)

    const send = (processId: string, process: Followed, options: V0StartOptions) =>
      call(ask, "command/exec", { tty: false, ...options, processId }).pipe(
        Effect.map(({ pid, running, exitCode, stdout, stderr }) => {
          if (stdout !== null) process.output("stdout", stdout)
          if (stderr !== null) process.output("stderr", stderr)
          if (!running || exitCode !== null) processes.exit(processId, process, exitCode ?? -1)
          return process.toHandle(pid, {
            write: (bytes) => call(ask, "command/exec/write", { processId, chunk: toBase64(bytes) }),
            terminate: terminate(processId),
          })
        }),
        Effect.tapError((error) => Effect.sync(() => processes.fail(processId, process, error))),
      )

    /**
     * The request goes on when its caller is interrupted: its response says whether there is something to terminate.
     */
    const begin = (
      options: V0StartOptions,
      restore: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    ) =>
      Effect.gen(function* () {
        const refusal = OptionNames.refusal("start", names, options)
        if (refusal !== undefined) return yield* Effect.fail(refusal)
        const id = options.processId ?? nextId("process")
        const starting = fork(send(id, yield* processes.follow(id), options))
        const started = ClientConnection.outcome(starting)
        return yield* Effect.onInterrupt(restore(started), () =>
          Effect.sync(() => fork(Effect.ignore(Effect.andThen(started, terminate(id))))),
        )
      })

    return {
      protocolVersion: greeting.protocolVersion,
      start: (options: V0StartOptions) => Effect.uninterruptibleMask((restore) => begin(options, restore)),
      startScoped: (options: V0StartOptions) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.acquireRelease(begin(options, restore), ({ terminate }) => Effect.ignore(terminate)),
        ),
      disconnected: Deferred.await(disconnected),
    }
  }).pipe(Effect.interruptible, activity.during)

interface Following {
  readonly flow: FlowControl.FlowControl
  readonly fork: (effect: Effect.Effect<void>) => unknown
  /** The client is busy while it follows a process. */
  readonly activity: Activity.Activity
}

/**
 * The processes that a client follows, by id. A process is followed for `lateMillis` after its exit: output that
 * arrives in that time still belongs to it.
 */
const makeProcesses = ({ flow, fork, activity }: Following) => {
  const followed = new Map<string, Followed>()
  let ended: ClientError | undefined

  const forget = (id: string, process: Followed) => {
    if (followed.get(id) === process && followed.delete(id)) activity.end()
    process.close()
  }

  const exit = (id: string, process: Followed, exitCode: number) => {
    process.exit(exitCode)
    const forgotten = Effect.sync(() => forget(id, process))
    fork(Effect.andThen(Effect.sleep(lateMillis), forgotten))
  }

  return {
    /** Follows a process from before its start is sent. Fails with `Duplicate` if one of that id runs. */
    follow: (id: string) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        const before = followed.get(id)
        if (before?.exited() === false) return Effect.fail(duplicate(id))
        if (before === undefined) activity.begin()
        before?.close()
        const process = followProcess(id, flow)
        followed.set(id, process)
        return Effect.succeed(process)
      }),
    /** Takes a notification; as a failure, what is malformed. Undefined for an unknown method. */
    take: (method: string, params: Json): Result.Result<void, string> | undefined => {
      switch (method) {
        case "command/exec/outputDelta":
          return Result.map(Shape.decode(V0.OutputDeltaParams, params), ({ processId, stream, chunk }) =>
            followed.get(processId)?.output(stream, chunk),
          )
        case "command/exec/exited":
          return Result.map(Shape.decode(V0.ExitedParams, params), ({ processId, exitCode }) => {
            const process = followed.get(processId)
            if (process !== undefined) exit(processId, process, exitCode)
          })
        default:
          return undefined
      }
    },
    exit,
    /** The process has not started. */
    fail: (id: string, process: Followed, error: ClientError) => {
      process.fail(error)
      forget(id, process)
    },
    /** The connection has ended: every process fails, and so does every later `follow`. */
    end: (error: ClientError) => {
      ended = error
      for (const [id, process] of followed) {
        process.fail(error)
        if (followed.delete(id)) activity.end()
      }
    },
  }
}

const duplicate = (id: string) => clientError("Duplicate", `process ${id} is already followed by this client`)

type Requests = typeof V0.requests

/** Sends a request of v0: params as on the wire, the result decoded. */
const call = <M extends keyof Requests>(
  ask: ClientConnection.Ask,
  method: M,
  params: Shape.Encoded<Requests[M]["params"]>,
): Effect.Effect<Shape.Type<Requests[M]["result"]>, ClientError> =>
  Effect.flatMap(ask(method, params), (json) =>
    Effect.mapError(Effect.fromResult(Shape.decode(resultOf(method), json)), (fault) =>
      clientError("Protocol", `malformed ${method} result: ${fault}`),
    ),
  )

// The rows have different types; `method` selects one.
const resultOf = <M extends keyof Requests>(method: M) =>
  V0.requests[method].result as unknown as Shape.Shape<Shape.Type<Requests[M]["result"]>>

/** The time after the exit in which output is taken, in milliseconds. */
const lateMillis = 50

/** A process of a v0 server. */
export interface V0Process {
  /** Its id on the wire, unique among the processes of the connection that run. */
  readonly id: string
  /** The pid on the server's host, if the server tells it. */
  readonly pid: number | undefined
  /** Every event from the first, for each run of the stream. The last one is `closed` or `failed`. */
  readonly events: Stream.Stream<ProcessEvent>
  /** The bytes of one stream, or of all in the order of arrival. A terminal's are `stdout`. Fails where events do. */
  readonly output: (stream?: OutputStream) => Stream.Stream<Uint8Array, ClientError>
  /** A subscription to the events from the first, for loops that do not use `Stream`. Close it. */
  readonly subscribe: Effect.Effect<EventFeed.Subscription>
  /** True once the process has exited, was terminated by this client, or the connection has ended. */
  readonly hasExited: () => boolean
  /** The exit code once it is known, -1 for death by a signal. Stays undefined if the connection has ended first. */
  readonly exitCode: () => number | undefined
  /** Completes when the process has exited or the connection has ended, with what `exitCode` says then. */
  readonly exited: Effect.Effect<number | undefined>
  /** Writes to the terminal, in call order. Fails with `Server` if the process has none. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, ClientError>
  /** Sends SIGKILL to the process group; true if the server still knew the process. */
  readonly terminate: Effect.Effect<boolean, ClientError>
}

type Followed = ReturnType<typeof followProcess>

/** The calls on a process that its connection makes. */
interface ProcessCalls extends Pick<V0Process, "terminate"> {
  readonly write: (bytes: Uint8Array) => Effect.Effect<unknown, ClientError>
}

/** Follows the process `id` from before its start. */
const followProcess = (id: string, flow: FlowControl.FlowControl) => {
  const feed = EventFeed.make(0, flow, (after) => Effect.succeed({ events: [], failure: tooLate(after + 1) }))
  const done = Deferred.makeUnsafe<number | undefined>()
  let seq = 0
  let exited = false
  let reported = false
  let code: number | undefined
  let failure: ClientError | undefined
  const next = () => (seq += 1)

  const over = () => {
    exited = true
    reported = true
    Deferred.doneUnsafe(done, Effect.succeed(code))
  }

  return {
    output: (stream: OutputStream, bytes: Uint8Array) =>
      feed.publish({ kind: "output", seq: next(), stream, bytes }),
    exit: (exitCode: number) => {
      code = exitCode
      feed.publish({ kind: "exited", seq: next(), exitCode, sandboxDenied: false })
      over()
    },
    /** True once the exit was reported, or the process has failed. */
    exited: () => reported,
    /** Ends the output. */
    close: () => feed.publish({ kind: "closed", seq: next() }),
    /** Nothing more will be known of the process. */
    fail: (error: ClientError) => {
      failure = error
      feed.publish(failed(error))
      over()
    },
    /** The handle, once the server has answered the start. */
    toHandle: (pid: number | null, { write, terminate }: ProcessCalls): V0Process => {
      const events = EventFeed.fromSubscription(feed.subscribe)
      const writing = Turn.make()
      return {
        id,
        pid: pid ?? undefined,
        events,
        output: EventFeed.outputOf(events, () => failure),
        subscribe: feed.subscribe,
        hasExited: () => exited,
        exitCode: () => code,
        exited: Deferred.await(done),
        write: (bytes) => writing(Effect.forEach(pieces(bytes), write, { discard: true })),
        terminate: Effect.suspend(() => {
          exited = true
          return terminate
        }),
      }
    },
  }
}

const tooLate = (from: number) =>
  clientError(
    "EventsLost",
    `output is no longer kept from event ${from} on, and this server cannot be asked for it again`,
    { gone: { from } },
  )
