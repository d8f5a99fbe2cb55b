/**
 * `procwire:URL`: processes of another procwire. It shows that a child may be remote: it has no pid, every operation is
 * a request, and a lost link is repaired, or else ends the child.
 *
 * Each child has a connection and a session of its own, so that none that is paused stalls another. A child whose link
 * stays lost is reported as killed, which its server does as soon as it gives up the session. The wire tells only that
 * all streams have ended, not each, and says a death by signal n as code 128 + n. A server without `processDeadlines`
 * has four signals.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ClientError } from "../../core/client/ClientError.ts"
import type * as EventFeed from "../../core/client/EventFeed.ts"
import * as ExecClient from "../../core/client/ExecClient.ts"
import type { Exited, ProcessEvent } from "../../core/client/ProcessEvent.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import { toBase64 } from "../../core/protocol/Bytes.ts"
import * as ErrorCode from "../../core/protocol/ErrorCode.ts"
import * as Turn from "../../core/protocol/Turn.ts"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpecCheck from "../../core/spawn/SpecCheck.ts"
import * as Connect from "../shared/Connect.ts"
import * as SocketAddress from "../shared/transport/SocketAddress.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import * as BuiltIns from "./BuiltIn.ts"
import { SpawnerProblem } from "./SpawnerProblem.ts"

export const procwire: BuiltIn = {
  name: "procwire",
  options: ":URL",
  says:
    "starts processes on another procwire, at ws://HOST:PORT, tcp://HOST:PORT or unix:PATH; its token is in the " +
    "variable PROCWIRE_TOKEN",
  example: "procwire:ws://build-host:7000",
  elsewhere: true,
  missing: () => undefined,
  read: (url = "") =>
    SocketAddress.isUrl(url)
      ? Result.succeed(layer(url))
      : BuiltIns.invalid(`'${url}' is no URL: expected ws://HOST:PORT, tcp://HOST:PORT or unix:PATH`),
}

/** A spawner on the server at this URL, which has to be there. */
const layer = (url: string): Layer.Layer<Spawner.Spawner, SpawnerProblem> => {
  const token = process.env["PROCWIRE_TOKEN"]?.trim()
  const open = Connect.openRemote({ url, ...(token ? { token } : {}) })
  const connect = ExecClient.make(open, { clientName: "procwire-spawner", reconnect: {} })
  const probe = Effect.mapError(
    Effect.scoped(connect),
    (cause) =>
      new SpawnerProblem({ reason: "Unreachable", message: `procwire:${url}: ${cause.message}`, cause }),
  )
  return Layer.effect(
    Spawner.Spawner,
    Effect.map(probe, ({ environmentInfo: { capabilities = {} } }) => ({
      capabilities: {
        pty: true,
        resize: capabilities.processResize === true,
        arg0: true,
        processGroup: true,
        pipeStdin: capabilities.processCloseStdin === true,
        pause: true,
        confine: false,
      },
      spawn: (spec, events) => {
        const refusal = SpecCheck.refusal(spec)
        if (refusal !== undefined) return refusal
        const started = Effect.gen(function* () {
          const client = yield* Effect.mapError(connect, toSpawnError)
          const starting = Effect.mapError(client.startSubscribed(startOf(spec)), toSpawnError)
          const { process, subscription } = yield* Effect.uninterruptibleMask((restore) =>
            Effect.tap(restore(starting), ({ process }) => Effect.addFinalizer(() => end(process))),
          )
          const followed = yield* follow(process, subscription, spec.stdio, events)
          return childOf(client.call, process, followed, spec.stdio, capabilities.processDeadlines === true)
        })
        // A child that was refused leaves no connection.
        return Effect.gen(function* () {
          const scope = yield* Scope.fork(yield* Effect.scope)
          return yield* Scope.provide(started, scope).pipe(
            Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
          )
        })
      },
    })),
  )
}

/** The end of a child waits for its server, but not for long. */
const end = ({ terminate }: RemoteProcess) =>
  Effect.ignore(Effect.timeout(Effect.interruptible(terminate), "2 seconds"))

const startOf = ({ arg0, argv, cwd, env, stdio }: Spawner.SpawnSpec) => ({
  argv,
  cwd,
  env,
  envPolicy: null,
  ...(arg0 === undefined ? {} : { arg0 }),
  ...(stdio.kind === "pty" ? { tty: true, terminalSize: stdio.size } : { pipeStdin: stdio.stdin }),
})

/** The events of a process, for its handle. */
interface RemoteEvents {
  /** Ends the streams; no output follows. */
  readonly abandon: () => void
  readonly killed: () => void
  readonly exited: () => boolean
  /** True from the exit until the streams have ended on the server. */
  readonly lingers: () => boolean
  /** Delivers no output. */
  readonly pause: () => void
  readonly resume: () => void
}

/** Delivers the events of the process until the scope closes, once the caller has the handle. */
const follow = (
  process: RemoteProcess,
  { close, next }: EventFeed.Subscription,
  stdio: Spawner.Stdio,
  events: Spawner.SpawnEvents,
): Effect.Effect<RemoteEvents, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<Spawner.OutputStream>(stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"])
    const [going, killed] = [Latch.makeUnsafe(true), Latch.makeUnsafe(false)]
    let [paused, abandoned, told, closed]: ReadonlyArray<boolean> = [false, false, false, false]
    let code: number | undefined
    const exited = () => told || code !== undefined
    const endAll = () => {
      for (const stream of open) if (open.delete(stream)) events.end(stream)
    }
    const exit: Spawner.SpawnEvents["exit"] = (status, ending) => {
      if (told) return
      told = true
      events.exit(status, ending)
    }
    // The exit has its place among the events, unless their delivery stands still.
    const exitNow = () => {
      if (code !== undefined && (paused || abandoned)) exit({ kind: "exited", code: code & 0xff })
    }
    const deliver = (event: ProcessEvent) => {
      if (event.kind === "output") {
        if (open.has(event.stream)) events.output(event.stream, event.bytes)
      } else if (event.kind === "exited")
        exit({ kind: "exited", code: event.exitCode & 0xff }, endingOf(event))
      else {
        closed = true
        endAll()
        if (event.kind === "failed") exit({ kind: "signaled", signal: 9 })
      }
    }
    const loop = Effect.gen(function* () {
      for (let batch = yield* next; batch !== undefined; batch = yield* next)
        for (const event of batch) {
          // The latch runs its waiters at once: a caller of resume gets no output within that call.
          while (paused && !abandoned) yield* Effect.andThen(going.await, Effect.yieldNow)
          deliver(event)
        }
    })
    const afterKill = Effect.andThen(killed.await, codeOfKilled(process))
    const exits = Effect.map(Effect.raceFirst(process.exitCode, afterKill), (value) => {
      code = value
      exitNow()
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        close()
        open.clear()
        told = closed = true
      }),
    )
    for (const each of [loop, Effect.ignore(exits)])
      yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, each))
    return {
      abandon: () => {
        abandoned = true
        going.openUnsafe()
        endAll()
        exitNow()
      },
      exited,
      killed: () => void killed.openUnsafe(),
      lingers: () => exited() && !closed,
      pause: () => {
        paused = true
        going.closeUnsafe()
        exitNow()
      },
      resume: () => {
        paused = false
        going.openUnsafe()
      },
    }
  })

/**
 * The exit code of a killed process. A read has it, even if the event waits behind output of a paused delivery.
 */
const codeOfKilled = ({ exitCode, read }: RemoteProcess): Effect.Effect<number, ClientError> =>
  read({ afterSeq: Number.MAX_SAFE_INTEGER, waitMs: 60_000 }).pipe(
    Effect.flatMap((state) => (state.exitCode === null ? exitCode : Effect.succeed(state.exitCode))),
    Effect.catch(() => exitCode),
  )

/** The facts of the event beyond the code. */
const endingOf = ({ limit, oomKilled }: Exited): Spawner.Ending =>
  limit === undefined ? {} : { endedBy: "limit", limit, oomKilled }

/**
 * The most bytes of one request. A server answers 128 writes before the process has read them, so 2 MiB wait there;
 * the requests of one write are sent together.
 */
const pieceBytes = 16 * 1024

const signals: { readonly [name: string]: "interrupt" | "terminate" | "hangup" | "quit" } = {
  SIGINT: "interrupt",
  SIGTERM: "terminate",
  SIGHUP: "hangup",
  SIGQUIT: "quit",
}

/** The handle of a process that is followed. `anySignal`: its server takes every name of a signal. */
const childOf = (
  call: ExecClient.ExecClient["call"],
  process: RemoteProcess,
  { abandon, exited, killed, lingers, pause, resume }: RemoteEvents,
  stdio: Spawner.Stdio,
  anySignal: boolean,
): Spawner.ChildHandle => {
  const kill = Effect.map(process.terminate, killed)
  const takesNothing = stdio.kind === "pipe" && !stdio.stdin
  return {
    pid: undefined,
    write: takesNothing ? () => stdinError("NotOpen") : writer(call, process, exited),
    endStdin: stdio.kind === "pty" ? Effect.void : Effect.ignore(process.closeStdin),
    signal: (name) => {
      if (name === "SIGKILL") return Effect.mapError(kill, toSignalError)
      const known = signals[name] ?? (anySignal ? name : undefined)
      return known === undefined ? unsupported(name) : Effect.mapError(process.signal(known), toSignalError)
    },
    kill: Effect.ignore(kill),
    abandonOutput: Effect.sync(abandon),
    lingering: Effect.sync(lingers),
    resize: (size) => Effect.mapError(process.resize(size), toSignalError),
    pause,
    resume,
  }
}

/** Writes wait for those before. A server accepts and drops input after the exit, so that is refused here. */
const writer = (
  call: ExecClient.ExecClient["call"],
  { id }: RemoteProcess,
  exited: () => boolean,
): Spawner.ChildHandle["write"] => {
  const writing = Turn.make()
  let count = 0
  const send = (bytes: Uint8Array) =>
    Effect.suspend(() =>
      exited()
        ? stdinError("Closed")
        : call("process/write", { processId: id, chunk: toBase64(bytes), writeId: `${count++}` }).pipe(
            Effect.mapError((cause) => new SpawnError.StdinError({ reason: "Closed", cause })),
            Effect.flatMap(({ status }) => (status === "accepted" ? Effect.void : stdinError("Closed"))),
          ),
    )
  return (bytes) => {
    const starts = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) => n * pieceBytes)
    return writing(
      Effect.forEach(starts, (start) => send(bytes.subarray(start, start + pieceBytes)), {
        concurrency: "unbounded",
        discard: true,
      }),
    )
  }
}

const stdinError = (reason: "NotOpen" | "Closed") => Effect.fail(new SpawnError.StdinError({ reason }))

const unsupported = (name: string) =>
  new SpawnError.SignalError({ reason: "Unsupported", message: `the wire has no signal ${name}` })

const toSignalError = (cause: ClientError) =>
  new SpawnError.SignalError({
    // A server refuses a signal that it does not know as wrong params.
    reason: cause.code === ErrorCode.invalidParams ? "Unsupported" : "Unknown",
    message: cause.message,
    cause,
  })

const ofSystem = [
  SpawnError.notFound,
  SpawnError.notADirectory,
  SpawnError.permissionDenied,
  SpawnError.notExecutable,
  SpawnError.argumentsTooLong,
]

const reasons: { readonly [kind in ErrorCode.ErrorKind]?: SpawnError.SpawnReason } = {
  spawnNotFound: "NotFound",
  spawnPermissionDenied: "PermissionDenied",
  sandboxUnavailable: "Unconfinable",
  sandboxPreparation: "Unprepared",
}

/** The reason is in the text of the system; where that is another, in the kind. */
const toSpawnError = (cause: ClientError): SpawnError.SpawnError => {
  const message = cause.serverMessage ?? cause.message
  const known = ofSystem.find((make) => make().message === message)
  const reason = (cause.kind && reasons[cause.kind]) ?? "Unknown"
  return known?.(cause) ?? new SpawnError.SpawnError({ reason, message, cause })
}
