/**
 * `CommandExecutor` of `@effect/platform` over a client: commands run on the server's host, each in a process group of
 * its own.
 *
 * Of a pipeline every command runs there; what one prints goes through this program to the next, which holds the first
 * back while it does not read. `inherit` copies stdout and stderr to those of this program. Options that the wire lacks
 * are a `BadArgument`: an inherited stdin, `uid` and `gid`.
 */
import { stderr, stdout } from "node:process"
import * as Command from "@effect/platform/Command"
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as PlatformError from "@effect/platform/Error"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Signals from "../../core/protocol/Signals.ts"
import type { Client, ClientProcess, ProcessEvent, StartOptions } from "../node/index.ts"
import { call, lacking } from "./Failure.ts"

type Failure = PlatformError.PlatformError

type Started = Effect.Effect<CommandExecutor.Process, Failure, Scope.Scope>

const module = "Command"

export const make = (client: Client): CommandExecutor.CommandExecutor => {
  const executor = CommandExecutor.makeExecutor((command) => startAll(client, Command.flatten(command)))
  // Those of the package break a character that two pieces share.
  const text = (command: Command.Command, encoding?: string) => decoded(executor.stream(command), encoding)
  const streamLines = (command: Command.Command, encoding?: string) =>
    Stream.splitLines(text(command, encoding))
  return {
    ...executor,
    string: (command, encoding) => Stream.mkString(text(command, encoding)),
    lines: (command, encoding) =>
      Effect.map(Stream.runCollect(streamLines(command, encoding)), Chunk.toArray),
    streamLines,
  }
}

const decoded = <E>(bytes: Stream.Stream<Uint8Array, E>, encoding?: string): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding)
    const rest = Stream.suspend(() => Stream.make(decoder.decode()))
    return Stream.concat(
      Stream.map(bytes, (piece) => decoder.decode(piece, { stream: true })),
      rest,
    )
  })

/** Starts the commands of a pipeline from the first; the process is that of the last. */
const startAll = (client: Client, [first, ...others]: ReturnType<typeof Command.flatten>): Started =>
  Effect.gen(function* () {
    let process = yield* startOne(client, first, first.stdin)
    for (const next of others) process = yield* startOne(client, next, process.stdout)
    return process
  })

const startOne = (client: Client, command: Command.StandardCommand, stdin: Command.Command.Input): Started =>
  Effect.gen(function* () {
    const refusal = refusalOf(client, command, stdin)
    if (refusal !== undefined) return yield* refusal
    const starting = call({ module, method: "start", pathOrDescriptor: command.command })
    const process = yield* Effect.acquireRelease(
      starting((how) => client.start(toOptions(command), how)),
      (process) => Effect.promise(() => process.terminate().catch(() => {})),
    )
    const running = yield* follow(client, process, command)
    if (typeof stdin !== "string") {
      // A command may end without reading it all; whatever happens, it reads no further.
      const close = call({ module, method: "stdin" })((how) => process.closeStdin(how))
      yield* Effect.forkScoped(
        Effect.zipRight(Effect.exit(Stream.run(stdin, toWriter(process))), Effect.ignore(close)),
      )
    }
    return running
  })

const refusalOf = (
  { environmentInfo }: Client,
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

const toOptions = ({ command, args, shell, env, extendEnv, cwd }: Command.StandardCommand): StartOptions => {
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

/**
 * Follows a process that belongs to the scope. Output waits for its reader: a process with 1 MiB of unread output
 * stands still, until its stdout, stderr or exit code is asked for. Then unread output is dropped; a stream that is run
 * later still gets the first and the last 1 MiB of the process, and fails if something between them is gone.
 */
const follow = (
  client: Client,
  process: ClientProcess,
  command: Command.StandardCommand,
): Effect.Effect<CommandExecutor.Process, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outputs = makeOutputs(process)
    const done = yield* Deferred.make<CommandExecutor.ExitCode, Failure>()
    yield* Effect.forkDaemon(Effect.intoDeferred(exitOf(client, process, command), done))
    const exited = Effect.zipRight(outputs.release, Deferred.await(done))
    const isRunning = Effect.map(Deferred.isDone(done), (is) => !is)
    // Runs first, as the scope ends: earlier resources are still there.
    yield* Effect.addFinalizer(() =>
      Effect.whenEffect(Effect.zipRight(end(client, process), Effect.exit(exited)), isRunning),
    )
    const kill = (signal: CommandExecutor.Signal = "SIGTERM") =>
      Effect.zipRight(send(client, process, signal), Effect.exit(exited))
    const close = call({ module, method: "stdin" })((how) => process.closeStdin(how))
    return {
      ...Inspectable.BaseProto,
      [CommandExecutor.ProcessTypeId]: CommandExecutor.ProcessTypeId,
      toJSON: () => ({
        _id: "@effect/platform/CommandExecutor/Process",
        pid: process.pid,
        processId: process.id,
      }),
      pid: CommandExecutor.ProcessId(process.pid ?? Number.NaN),
      exitCode: exited,
      isRunning,
      kill: (signal) => Effect.asVoid(Effect.whenEffect(kill(signal), isRunning)),
      stdin: Sink.mapEffect(toWriter(process), () => close),
      stdout: through(outputs.stream("stdout"), command.stdout),
      stderr: through(outputs.stream("stderr"), command.stderr),
    }
  })

/** SIGTERM, and after the grace SIGKILL, to the group; SIGKILL alone on servers without deadlines. */
const end = ({ environmentInfo }: Client, process: ClientProcess): Effect.Effect<void> => {
  const gracefully = environmentInfo.capabilities?.processDeadlines === true
  return Effect.ignore(Effect.tryPromise(() => (gracefully ? process.end() : process.terminate())))
}

const toWriter = (process: ClientProcess) =>
  Sink.forEach((bytes: Uint8Array) => call({ module, method: "stdin" })((how) => process.write(bytes, how)))

const through = (output: Stream.Stream<Uint8Array, Failure>, to: Command.Command.Output) =>
  to === "pipe" ? output : to === "inherit" ? Stream.empty : Stream.transduce(output, to)

/** The output, and a loop over the events that holds the process until somebody asks for anything of it. */
const makeOutputs = (process: ClientProcess) => {
  const events = process[Symbol.asyncIterator]()
  const begun = events.next()
  let held = true
  const release = Effect.sync(() => {
    if (held) void events.return?.()
    held = false
  })
  async function* take(): AsyncGenerator<ProcessEvent> {
    if (!held) return yield* process
    held = false
    const first = await begun
    if (first.done === true) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => events }
  }
  const stream = (name: "stdout" | "stderr"): Stream.Stream<Uint8Array, Failure> =>
    Stream.suspend(() => Stream.fromAsyncIterable(left(take()), lost(name))).pipe(
      Stream.mapEffect((event) =>
        event.kind === "failed" ? Effect.fail(lost(name)(event)) : Effect.succeed(event),
      ),
      Stream.filterMap((event) =>
        event.kind === "output" && event.stream === name ? Option.some(event.bytes) : Option.none(),
      ),
    )
  return { stream, release }
}

/** The events for a loop that may be left at once: its end does not wait for the next event, which may never come. */
const left = <A>(events: AsyncGenerator<A, void>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => events.next(),
    return: () => {
      void events.return()
      return Promise.resolve({ done: true, value: undefined })
    },
  }),
})

const lost = (method: string) => (cause: unknown) =>
  new PlatformError.SystemError({
    module,
    method,
    reason: "Unknown",
    description: String(Object(cause)["message"]),
    cause,
  })

/** Copies inherited streams to this program, until all that the process itself wrote is there. */
const copyOutput = async (process: ClientProcess, command: Command.StandardCommand): Promise<void> => {
  if (command.stdout !== "inherit" && command.stderr !== "inherit") return
  for await (const event of process) {
    if (event.kind === "exited") return
    if (event.kind !== "output" || event.stream === "pty" || command[event.stream] !== "inherit") continue
    const to = event.stream === "stdout" ? stdout : stderr
    // A reader that is gone stops no command.
    await new Promise<void>((resolve) => to.write(event.bytes, () => resolve()))
  }
}

/** The exit code; as on the local host, death by a signal is a failure, where the server tells it. */
const exitOf = (client: Client, process: ClientProcess, command: Command.StandardCommand) =>
  Effect.gen(function* () {
    const asking = call({ module, method: "exitCode" })
    const copied = copyOutput(process, command)
    const code = yield* asking(() => process.exitCode)
    yield* Effect.promise(() => copied)
    if (code <= 128) return CommandExecutor.ExitCode(code)
    const state = yield* Effect.option(
      asking((how) => process.read({ afterSeq: Number.MAX_SAFE_INTEGER }, how)),
    )
    const signal = Option.flatMapNullable(state, (found) => found.signal)
    if (Option.isNone(signal)) return CommandExecutor.ExitCode(code)
    return yield* new PlatformError.SystemError({
      module,
      method: "exitCode",
      reason: "Unknown",
      pathOrDescriptor: command.command,
      description: `the process died of ${Signals.toPosix(signal.value, client.environmentInfo.platformOs ?? "linux")}`,
    })
  })

/** Names that are numbers of others on Linux. */
const aliases: Readonly<Record<string, Signals.PosixSignal>> = {
  SIGIOT: "SIGABRT",
  SIGPOLL: "SIGIO",
  SIGUNUSED: "SIGSYS",
}

const send = (
  { environmentInfo }: Client,
  process: ClientProcess,
  name: CommandExecutor.Signal,
): Effect.Effect<unknown, Failure> => {
  const failing = call({ module, method: "kill" })
  const signal = Signals.read(aliases[name] ?? name)
  if (signal === undefined) return lacking(module, "kill", `no signal of the wire is ${name}`)
  if (signal === "SIGKILL") return failing((how) => process.terminate(how))
  if (environmentInfo.capabilities?.processDeadlines === true)
    return failing((how) => process.signal(signal, how))
  // Such a server knows words only.
  const word = Signals.signalNames.find((word) => Signals.toPosix(word, "linux") === signal)
  return failing((how) => process.signal(word ?? signal, how))
}
