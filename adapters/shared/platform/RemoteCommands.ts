/**
 * `CommandExecutor` of `@effect/platform` over a client: commands run on the server's host, each in a process group of
 * its own.
 *
 * Of a pipeline every command runs there; what one prints goes through this program to the next, which holds the first
 * back while it does not read. `inherit` copies stdout and stderr to those of this program. What the wire lacks is a
 * `BadArgument`: an inherited stdin, `uid` and `gid`.
 */
import * as Command from "@effect/platform/Command"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import * as ProcessStarter from "../../../core/client/ProcessStarter.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import { concat } from "../../../core/protocol/Bytes.ts"
import { at, lacking, toPlatformError } from "./Failure.ts"
import * as PlatformError from "@effect/platform/Error"
import * as Deferred from "effect/Deferred"
import * as Inspectable from "effect/Inspectable"
import * as Sink from "effect/Sink"
import type { Subscription } from "../../../core/client/EventFeed.ts"
import * as EventStreams from "../../../core/client/EventStreams.ts"
import type { ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import type { Subscribed } from "../../../core/client/ProcessStarter.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as Signals from "../../../core/protocol/Signals.ts"
import * as StandardStreams from "../host/StandardStreams.ts"

type Failure = PlatformError.PlatformError

type Started = Effect.Effect<CommandExecutor.Process, Failure, Scope.Scope>

const module = "Command"

/** Runs commands on the server of `client`. */
export const make = (client: ExecClient): CommandExecutor.CommandExecutor => {
  const start = (command: Command.Command) => startAll(client, command, false)
  const stream = (command: Command.Command) =>
    Stream.unwrapScoped(Effect.map(start(command), ({ stdout }) => stdout))
  const string = (command: Command.Command, encoding?: string) =>
    Effect.map(Stream.runCollect(stream(command)), (pieces) =>
      new TextDecoder(encoding).decode(concat(Chunk.toReadonlyArray(pieces))),
    )
  const streamLines = (command: Command.Command, encoding?: string) =>
    Stream.splitLines(decoded(stream(command), encoding))
  return {
    [CommandExecutor.TypeId]: CommandExecutor.TypeId,
    start: (command) => startAll(client, command, true),
    exitCode: (command) => Effect.scoped(Effect.flatMap(start(command), ({ exitCode }) => exitCode)),
    stream,
    string,
    lines: (command, encoding) =>
      Effect.map(Stream.runCollect(streamLines(command, encoding)), (lines) => Chunk.toArray(lines)),
    streamLines,
  }
}

/** A character may be split between two pieces. */
const decoded = <E>(bytes: Stream.Stream<Uint8Array, E>, encoding?: string): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding)
    const rest = Stream.suspend(() => Stream.make(decoder.decode()))
    return Stream.concat(
      Stream.map(bytes, (piece) => decoder.decode(piece, { stream: true })),
      rest,
    )
  })

/** Starts the commands of a pipeline from the first; the process is that of the last. `withPid`: which that has then. */
const startAll = (client: ExecClient, command: Command.Command, withPid: boolean): Started =>
  Effect.gen(function* () {
    const [first, ...others] = Command.flatten(command)
    let process = yield* startOne(client, first, first.stdin, withPid && others.length === 0)
    for (const [index, next] of others.entries()) {
      process = yield* startOne(client, next, process.stdout, withPid && index === others.length - 1)
    }
    return process
  })

const startOne = (
  client: ExecClient,
  command: Command.StandardCommand,
  stdin: Command.Command.Input,
  withPid: boolean,
): Started =>
  Effect.gen(function* () {
    const refusal = refusalOf(client, command, stdin)
    if (refusal !== undefined) return yield* refusal
    const place = { module, method: "start", pathOrDescriptor: command.command } as const
    const { label, tell } = withPid ? pidOf(client) : withoutPid
    const start = client.startSubscribed({ ...toOptions(command), ...label })
    const started = yield* at(place)(ProcessStarter.scoped(start))
    const { process } = started
    const pid = yield* at(place)(tell(process.id))
    const running = yield* makeRunning(client, started, command, pid)
    if (typeof stdin !== "string") {
      const write = Stream.runForEach(stdin, (bytes) => process.write(bytes))
      // A command may end without reading it all; whatever happens, it reads no further.
      yield* Effect.forkScoped(Effect.zipRight(Effect.exit(write), Effect.ignore(process.closeStdin)))
    }
    return running
  })

const refusalOf = (
  { environmentInfo }: ExecClient,
  { uid, gid }: Command.StandardCommand,
  stdin: Command.Command.Input,
) => {
  if (Option.isSome(uid) || Option.isSome(gid)) {
    return lacking(module, "start", "the wire has no uid and gid: run the command through sudo or setpriv")
  }
  if (stdin === "inherit") {
    const remedy = "give the command a Stream, or Command.feed"
    return lacking(module, "start", `a command on another host cannot inherit stdin: ${remedy}`)
  }
  return typeof stdin === "string" || environmentInfo.capabilities?.processCloseStdin === true
    ? undefined
    : lacking(module, "start", "input needs a server with the capability processCloseStdin")
}

const toOptions = (given: Command.StandardCommand): StartOptions => {
  const { command, args, shell, env, extendEnv, cwd } = given
  const program = shell === true ? "/bin/sh" : shell
  return {
    argv: program === false ? [command, ...args] : [program, "-c", [command, ...args].join(" ")],
    pipeStdin: true,
    env: Object.fromEntries(env),
    envPolicy: extendEnv
      ? { inherit: "all", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] }
      : null,
    ...(Option.isSome(cwd) ? { cwd: cwd.value } : {}),
  }
}

const withoutPid = { label: {}, tell: () => Effect.succeed(Number.NaN) }

/** The list of the server has the pid of a process, which a label finds. */
const pidOf = (client: ExecClient) => {
  if (client.environmentInfo.capabilities?.processList !== true) return withoutPid
  const labels = { "procwire.platform": globalThis.crypto.randomUUID() }
  return {
    label: { labels },
    tell: (processId: string) =>
      client.list({ labels }).pipe(
        Stream.filter((listed) => listed.processId === processId),
        Stream.runHead,
        Effect.map((found) => (Option.isSome(found) ? (found.value.pid ?? Number.NaN) : Number.NaN)),
      ),
  }
}

/**
 * Follows a process that belongs to the scope: the scope's end asks it to end, and waits until it has.
 *
 * Output waits for its reader: a process with 1 MiB of unread output stands still, until its stdout, stderr or
 * exit code is asked for. Then unread output is dropped; a stream that is run later still gets the first and the last
 * 1 MiB of the process, and fails if something between them is gone.
 */
const makeRunning = (
  client: ExecClient,
  { process, subscription }: Subscribed,
  command: Command.StandardCommand,
  pid: number,
): Effect.Effect<CommandExecutor.Process, Failure, Scope.Scope> =>
  Effect.gen(function* () {
    const outputs = makeOutputs(process, subscription)
    const done = yield* Deferred.make<CommandExecutor.ExitCode, Failure>()
    const copied = yield* copyOutput(process, command)
    const ending = Effect.zipLeft(exitOf(client, process, command), copied)
    yield* Effect.forkScoped(Effect.intoDeferred(ending, done))
    const exited = Effect.zipRight(outputs.release, Deferred.await(done))
    // Runs first, as the scope ends: earlier resources are still there.
    yield* Effect.addFinalizer(() => Effect.whenEffect(end(client, process, exited), isRunning(done)))
    const kill = (signal: CommandExecutor.Signal = "SIGTERM") =>
      Effect.zipRight(send(client, process, signal), Effect.exit(exited))
    return {
      ...Inspectable.BaseProto,
      [CommandExecutor.ProcessTypeId]: CommandExecutor.ProcessTypeId,
      toJSON: () => ({ _id: "@effect/platform/CommandExecutor/Process", pid, processId: process.id }),
      pid: CommandExecutor.ProcessId(pid),
      exitCode: exited,
      isRunning: isRunning(done),
      kill: (signal) => Effect.asVoid(Effect.whenEffect(kill(signal), isRunning(done))),
      stdin: toSink(process),
      stdout: through(outputs.stream("stdout"), command.stdout),
      stderr: through(outputs.stream("stderr"), command.stderr),
    }
  })

/** Writes to the process, and closes its stdin at the end. */
const toSink = (process: RemoteProcess): Sink.Sink<void, Uint8Array, never, Failure> => {
  const failed = toPlatformError({ module, method: "stdin" })
  return Sink.forEach((bytes: Uint8Array) => Effect.mapError(process.write(bytes), failed)).pipe(
    Sink.mapEffect(() => Effect.mapError(process.closeStdin, failed)),
  )
}

const isRunning = (done: Deferred.Deferred<CommandExecutor.ExitCode, Failure>) =>
  Effect.map(Deferred.isDone(done), (is) => !is)

const through = (output: Stream.Stream<Uint8Array, Failure>, to: Command.Command.Output) =>
  to === "pipe" ? output : to === "inherit" ? Stream.empty : Stream.transduce(output, to)

/** The output, and a subscription that holds the process until somebody asks for anything of it. */
const makeOutputs = (process: RemoteProcess, subscription: Subscription) => {
  let held: Subscription | undefined = subscription
  const release = Effect.sync(() => {
    held?.close()
    held = undefined
  })
  const take = Effect.suspend(() => {
    const mine = held
    held = undefined
    return mine === undefined ? process.subscribe : Effect.succeed(mine)
  })
  const output = EventStreams.output(EventStreams.fromSubscription(take), () => undefined)
  const stream = (name: "stdout" | "stderr") =>
    Stream.mapError(output(name), toPlatformError({ module, method: name }))
  return { stream, release }
}

/** Copies inherited streams to this program; the effect completes when all that the process itself wrote is there. */
const copyOutput = (process: RemoteProcess, { stdout, stderr }: Command.StandardCommand) =>
  Effect.gen(function* () {
    const inherited = { stdout: stdout === "inherit", stderr: stderr === "inherit", pty: false }
    if (!inherited.stdout && !inherited.stderr) return Effect.void
    const copied = yield* Deferred.make<void>()
    const copy = (event: ProcessEvent) => {
      if (event.kind === "exited" || event.kind === "failed") return Deferred.succeed(copied, undefined)
      if (event.kind !== "output" || event.stream === "pty" || !inherited[event.stream]) return Effect.void
      // A reader that is gone stops no command.
      return Effect.ignore(StandardStreams.write(event.stream, event.bytes))
    }
    yield* Effect.forkScoped(Stream.runForEach(process.events, copy))
    return Deferred.await(copied)
  })

/** The exit code; as on the local host, death by a signal is a failure, where the server tells it. */
const exitOf = (client: ExecClient, process: RemoteProcess, { command }: Command.StandardCommand) =>
  Effect.gen(function* () {
    const code = yield* process.exitCode
    if (code <= 128) return CommandExecutor.ExitCode(code)
    const state = yield* Effect.option(process.read({ afterSeq: Number.MAX_SAFE_INTEGER }))
    const signal = state._tag === "Some" ? state.value.signal : undefined
    if (signal === undefined) return CommandExecutor.ExitCode(code)
    const name = Signals.toPosix(signal, client.environmentInfo.platformOs ?? "linux")
    return yield* new PlatformError.SystemError({
      module,
      method: "exitCode",
      reason: "Unknown",
      pathOrDescriptor: command,
      description: `the process died of ${name}`,
    })
  }).pipe(
    Effect.catchTag("ClientError", (error) =>
      Effect.fail(toPlatformError({ module, method: "exitCode" })(error)),
    ),
  )

/** SIGTERM, and after the grace SIGKILL, to the group; SIGKILL alone on servers without deadlines. */
const end = (
  { environmentInfo }: ExecClient,
  process: RemoteProcess,
  exited: Effect.Effect<unknown, Failure>,
) => {
  const gracefully = environmentInfo.capabilities?.processDeadlines === true
  return Effect.zipRight(Effect.ignore(gracefully ? process.end() : process.terminate), Effect.ignore(exited))
}

/** Names that are numbers of others on Linux. */
const aliases: Readonly<Record<string, Signals.PosixSignal>> = {
  SIGIOT: "SIGABRT",
  SIGPOLL: "SIGIO",
  SIGUNUSED: "SIGSYS",
}

const send = ({ environmentInfo }: ExecClient, process: RemoteProcess, name: CommandExecutor.Signal) =>
  Effect.suspend((): Effect.Effect<unknown, Failure> => {
    const failing = at({ module, method: "kill" })
    const signal = Signals.read(aliases[name] ?? name)
    if (signal === undefined) return Effect.fail(lacking(module, "kill", `no signal of the wire is ${name}`))
    if (signal === "SIGKILL") return failing(process.terminate)
    if (environmentInfo.capabilities?.processDeadlines === true) return failing(process.signal(signal))
    // Such a server knows words only.
    const word = Signals.signalNames.find((word) => Signals.toPosix(word, "linux") === signal)
    return failing(process.signal(word ?? signal))
  })
