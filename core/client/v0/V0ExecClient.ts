/**
 * A client of servers that speak the first wire, v0: it starts processes and follows them to their exit.
 *
 * Lives in a scope; its end closes the connection, and with it the server ends every process. There is nothing to
 * resume: when the connection is lost, every call fails and every process has exited without a code.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { toBase64 } from "../../protocol/Bytes.ts"
import type { Json } from "../../protocol/Json.ts"
import type * as V0 from "../../protocol/dialect/v0.ts"
import type { Transport } from "../../transport/Transport.ts"
import { ClientError } from "../ClientError.ts"
import * as FlowControl from "../FlowControl.ts"
import * as Ids from "../Ids.ts"
import * as ClientConnection from "../ClientConnection.ts"
import { type Open, toClientError } from "../Reconnect.ts"
import { call, exited, outputDelta } from "./Calls.ts"
import * as V0Process from "./V0Process.ts"

export interface Options {
  /** Default: `procwire`. */
  readonly clientName?: string
  /** Default: 10 seconds. */
  readonly initializeTimeout?: Duration.DurationInput
}

/** `cwd` is absolute and `env` the whole environment; `tty` is false and the id made up unless they are given. */
export type V0StartOptions = Omit<Schema.Schema.Encoded<typeof V0.ExecParams>, "processId" | "tty"> & {
  readonly processId?: string
  readonly tty?: boolean
}

export interface V0ExecClient {
  /** What the server says that it speaks. */
  readonly protocolVersion: string
  /** Starts a process. If interrupted, the process is terminated. It lives on when the effect has succeeded. */
  readonly start: (options: V0StartOptions) => Effect.Effect<V0Process.V0Process, ClientError>
  /** The same, terminated at the end of the scope. */
  readonly startScoped: (
    options: V0StartOptions,
  ) => Effect.Effect<V0Process.V0Process, ClientError, Scope.Scope>
  /** Completes with the reason when the connection has ended. */
  readonly disconnected: Effect.Effect<ClientError>
}

/** A client over one transport, or over that which an effect opens. */
export const make = (
  source: Transport | Open,
  { clientName = "procwire", initializeTimeout = "10 seconds" }: Options = {},
): Effect.Effect<V0ExecClient, ClientError, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const nextId = yield* Ids.make
    const tracked = new Map<string, V0Process.Tracked>()
    const flow = FlowControl.make((held) => line?.hold(held))
    let line: ClientConnection.ClientConnection<unknown> | undefined
    let ended: ClientError | undefined

    const forget = (id: string, process: V0Process.Tracked) => {
      if (tracked.get(id) === process) tracked.delete(id)
      process.close()
    }

    /** Output that comes a moment later is still taken. */
    const exit = (id: string, process: V0Process.Tracked, exitCode: number) => {
      process.exit(exitCode)
      fork(
        Effect.zipRight(
          Effect.sleep(V0Process.lateMillis),
          Effect.sync(() => forget(id, process)),
        ),
      )
    }

    const taken: { readonly [method: string]: (params: Json) => Either.Either<void, string> } = {
      "command/exec/outputDelta": (params) =>
        Either.map(outputDelta(params), ({ processId, stream, chunk }) =>
          tracked.get(processId)?.output(stream, chunk),
        ),
      "command/exec/exited": (params) =>
        Either.map(exited(params), ({ processId, exitCode }) => {
          const process = tracked.get(processId)
          if (process !== undefined) exit(processId, process, exitCode)
        }),
    }

    const transport = yield* Effect.isEffect(source)
      ? Effect.mapError(source, toClientError)
      : Effect.succeed(source)
    const { greeting, ask, lost } = (line = yield* ClientConnection.make(transport, {
      initialize: (ask) => call(ask, "initialize", { clientName }),
      timeout: initializeTimeout,
      flow,
      take: (method, params) => (Object.hasOwn(taken, method) ? taken[method]?.(params) : undefined),
    }))

    const disconnected = yield* Effect.cached(Effect.map(lost, ClientConnection.disconnected))
    yield* Effect.forkScoped(
      Effect.map(disconnected, (error) => {
        ended = error
        for (const process of tracked.values()) process.fail(error)
        tracked.clear()
      }),
    )

    const terminate = (processId: string) =>
      Effect.map(call(ask, "command/exec/terminate", { processId }), ({ running }) => running)

    const send = (processId: string, process: V0Process.Tracked, options: V0StartOptions) =>
      call(ask, "command/exec", { tty: false, ...options, processId }).pipe(
        Effect.map(({ pid, running, exitCode, stdout, stderr }) => {
          if (stdout !== null) process.output("stdout", stdout)
          if (stderr !== null) process.output("stderr", stderr)
          if (!running || exitCode !== null) exit(processId, process, exitCode ?? -1)
          return process.toHandle(pid, {
            write: (bytes) => call(ask, "command/exec/write", { processId, chunk: toBase64(bytes) }),
            terminate: terminate(processId),
          })
        }),
        Effect.tapError((error) => Effect.sync(() => (process.fail(error), forget(processId, process)))),
      )

    const track = (id: string) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        const before = tracked.get(id)
        if (before?.exited() === false) return Effect.fail(duplicate(id))
        before?.close()
        const process = V0Process.make(id, flow)
        tracked.set(id, process)
        return Effect.succeed(process)
      })

    /** A start that is interrupted goes on without its caller: its answer tells that there is something to terminate. */
    const begin = (
      options: V0StartOptions,
      restore: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    ) =>
      Effect.gen(function* () {
        const id = options.processId ?? nextId("process")
        const starting = fork(send(id, yield* track(id), options))
        return yield* Effect.onInterrupt(restore(Fiber.join(starting)), () =>
          Effect.sync(() => fork(Effect.ignore(Effect.zipRight(Fiber.join(starting), terminate(id))))),
        )
      })

    return {
      protocolVersion: greeting.protocolVersion,
      start: (options: V0StartOptions) => Effect.uninterruptibleMask((restore) => begin(options, restore)),
      startScoped: (options: V0StartOptions) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.acquireRelease(begin(options, restore), ({ terminate }) => Effect.ignore(terminate)),
        ),
      disconnected,
    }
  }).pipe(Effect.interruptible)

const duplicate = (id: string) =>
  new ClientError({ reason: "Duplicate", message: `process ${id} is already followed by this client` })
