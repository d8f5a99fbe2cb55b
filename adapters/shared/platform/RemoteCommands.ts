/**
 * `ChildProcessSpawner` of Effect over a client: commands run on the server's host, each in a process group of its own,
 * whatever `detached` says.
 *
 * Of a pipeline every command runs there; what one prints goes through this program to the next, which holds the first
 * back while it does not read. `inherit` copies stdout and stderr to those of this program. Options that the wire lacks
 * are a `BadArgument`: an inherited stdin, and file descriptors beyond the three.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as Spawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Subscription } from "../../../core/client/EventFeed.ts"
import * as EventFeed from "../../../core/client/EventFeed.ts"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import type { ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import type { Subscribed } from "../../../core/client/ProcessStarter.ts"
import type { EndOptions, RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import * as Signals from "../../../core/protocol/Signals.ts"
import * as StandardStreams from "../host/StandardStreams.ts"
import { at, lacking, toPlatformError } from "./Failure.ts"

type Failure = PlatformError.PlatformError

type Bytes = Stream.Stream<Uint8Array, Failure>

type Started = Effect.Effect<Spawner.ChildProcessHandle, Failure, Scope.Scope>

const module = "ChildProcess"

export const make = (client: ExecClient): Spawner.ChildProcessSpawner["Service"] => {
  const spawn = (command: ChildProcess.Command) => start(client, command)
  return {
    ...Spawner.make(spawn),
    // The reader of the output comes first: what it reads is not dropped, as it is for who asks for the code alone.
    exitCode: (command) =>
      Effect.scoped(
        Effect.flatMap(spawn(command), ({ all, exitCode }) =>
          Effect.raceFirst(Effect.andThen(Stream.runDrain(all), Effect.never), exitCode),
        ),
      ),
  }
}

/** Starts the commands of a pipeline from the first. `input` replaces the stdin of that. */
const start = (client: ExecClient, command: ChildProcess.Command, input?: Bytes): Started =>
  command._tag === "StandardCommand"
    ? startOne(client, command, input)
    : Effect.gen(function* () {
        const { from = "stdout", to = "stdin" } = command.options
        if (to !== "stdin") return yield* noDescriptor(to)
        const first = yield* start(client, command.left, input)
        const source = from === "stdout" || from === "stderr" || from === "all" ? first[from] : Stream.empty
        const last = yield* start(client, command.right, source)
        return Spawner.makeHandle({
          ...last,
          stdin: first.stdin,
          kill: (options) =>
            Effect.forEach([last, first], ({ kill }) => Effect.ignore(kill(options)), { discard: true }),
          unref: Effect.map(Effect.all([first.unref, last.unref]), (rerefs) =>
            Effect.all(rerefs, { discard: true }),
          ),
        })
      })

const startOne = (client: ExecClient, command: ChildProcess.StandardCommand, input?: Bytes): Started =>
  Effect.gen(function* () {
    const stdin = toStdin(command, input)
    yield* check(client, command, stdin)
    let isReferenced = true
    const starting = client.startSubscribed(toOptions(command, stdin))
    const started = yield* Effect.acquireRelease(
      at({ module, method: "spawn", pathOrDescriptor: command.command })(starting),
      ({ process, subscription }) => {
        subscription.close()
        return Effect.suspend(() => (isReferenced ? release(client, process, command.options) : Effect.void))
      },
    )
    const followed = yield* follow(client, started, command, stdin)
    const refer = (to: boolean) => Effect.sync(() => void (isReferenced = to))
    return Spawner.makeHandle({ ...followed, unref: Effect.as(refer(false), refer(true)) })
  })

/** The end of a scope: the process is asked to end, and waited for. */
const release = (
  { environmentInfo }: ExecClient,
  process: RemoteProcess,
  { killSignal = "SIGTERM", forceKillAfter }: ChildProcess.KillOptions,
) => {
  const signal = toSignal(killSignal)
  const options: EndOptions = {
    ...(signal === undefined ? {} : { signal }),
    ...(forceKillAfter === undefined ? {} : { graceMs: Duration.toMillis(forceKillAfter) }),
  }
  const gracefully = environmentInfo.capabilities?.processDeadlines === true
  const end = Effect.ignore(gracefully ? process.end(options) : process.terminate)
  return Effect.andThen(Effect.andThen(end, Effect.exit(process.exitCode)), Effect.ignore(process.terminate))
}

const toStdin = ({ options }: ChildProcess.StandardCommand, input: Bytes | undefined) => {
  const { stdin = "pipe" } = options
  const { stream, endOnDone = true }: ChildProcess.StdinConfig =
    typeof stdin === "string" || Stream.isStream(stdin) ? { stream: stdin } : stdin
  return { stream: input ?? stream, endOnDone }
}

const toOutput = (
  output: ChildProcess.CommandOutput | ChildProcess.StdoutConfig = "pipe",
): ChildProcess.CommandOutput =>
  typeof output === "string" || Sink.isSink(output) ? output : (output.stream ?? "pipe")

const noDescriptor = (name: string) =>
  lacking(module, "spawn", `the wire has no ${name}: a command on another host has stdin, stdout and stderr`)

/** Fails for what cannot be started there. */
const check = (
  { environmentInfo }: ExecClient,
  { command, args, options }: ChildProcess.StandardCommand,
  { stream }: ChildProcess.StdinConfig,
): Effect.Effect<void, Failure> => {
  const [descriptor] = Object.keys(options.additionalFds ?? {})
  if (descriptor !== undefined) return noDescriptor(descriptor)
  if (stream === "inherit") {
    return lacking(module, "spawn", "a command on another host cannot inherit stdin: give it a Stream")
  }
  if (typeof stream !== "string" && environmentInfo.capabilities?.processCloseStdin !== true) {
    return lacking(module, "spawn", "input needs a server with the capability processCloseStdin")
  }
  if (isShell(options) && args.length > 0) {
    return lacking(
      module,
      "spawn",
      "with the option shell the command is the whole script, without arguments",
    )
  }
  // The words of the server would show the value.
  const values = [command, ...args, ...Object.values(options.env ?? {})]
  return values.some((value) => value !== undefined && reveal(value).includes("\0"))
    ? lacking(module, "spawn", "the command, an argument or a variable of it has a NUL character")
    : Effect.void
}

const isShell = ({ shell = false }: ChildProcess.CommandOptions) => shell !== false

const reveal = (word: string | Redacted.Redacted<string>) =>
  typeof word === "string" ? word : Redacted.value(word)

const toOptions = (
  { command, args, options }: ChildProcess.StandardCommand,
  stdin: ChildProcess.StdinConfig,
): StartOptions => {
  const { shell = false, env, extendEnv = false, cwd } = options
  const program = shell === true ? "/bin/sh" : shell
  const variables = Object.entries(env ?? {})
  const removed = variables.flatMap(([name, value]) => (value === undefined ? [name] : []))
  return {
    argv: program === false ? [command, ...args.map(reveal)] : [program, "-c", command],
    pipeStdin: stdin.stream !== "ignore",
    env: Object.fromEntries(
      variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, reveal(value)]])),
    ),
    envPolicy:
      env === undefined || extendEnv
        ? { inherit: "all", ignoreDefaultExcludes: true, exclude: removed, set: {}, includeOnly: [] }
        : null,
    ...(cwd === undefined ? {} : { cwd }),
  }
}

type Followed = Omit<Parameters<typeof Spawner.makeHandle>[0], "unref">

/**
 * Follows a process. Output waits for its reader: a process with 1 MiB of unread output stands still, until its
 * output or its exit code is asked for. Then unread output is dropped; a stream that is run later still gets the first
 * and the last 1 MiB of the process, and fails if something between them is gone.
 */
const follow = (
  client: ExecClient,
  { process, subscription }: Subscribed,
  command: ChildProcess.StandardCommand,
  stdin: ChildProcess.StdinConfig,
): Effect.Effect<Followed, never, Scope.Scope> =>
  Effect.gen(function* () {
    const to = { stdout: toOutput(command.options.stdout), stderr: toOutput(command.options.stderr) }
    const outputs = makeOutputs(process, subscription, to)
    const done = yield* Deferred.make<Spawner.ExitCode, Failure>()
    const broken = yield* Deferred.make<never, Failure>()
    const copied = yield* copyOutput(process, to)
    // The exit code is there also where the scope has ended, of a process that lives on.
    yield* Effect.forkDetach(Deferred.into(Effect.tap(exitOf(client, process, command), copied), done))
    const exited = Effect.andThen(outputs.release, Deferred.await(done))
    const isRunning = Effect.map(Deferred.isDone(done), (is) => !is)
    const input = toSink(process, stdin)
    if (typeof stdin.stream !== "string") {
      const source = Stream.tapError(stdin.stream, (error) => Deferred.fail(broken, error))
      // A command may end without reading it all.
      yield* Effect.forkScoped(Effect.exit(Stream.run(source, input)))
    }
    return {
      pid: Spawner.ProcessId(process.pid ?? Number.NaN),
      // A process whose input has failed did not get all of it.
      exitCode: Effect.raceFirst(exited, Deferred.await(broken)),
      isRunning,
      kill: (options) =>
        Effect.flatMap(isRunning, (is) => (is ? kill(client, process, exited, options) : Effect.void)),
      stdin: input,
      ...outputs.streams,
      getInputFd: () => Sink.drain,
      getOutputFd: () => Stream.empty,
    }
  })

/** Writes to the process, and closes its stdin at the end. */
const toSink = (
  process: RemoteProcess,
  { stream, endOnDone = true }: ChildProcess.StdinConfig,
): Sink.Sink<void, Uint8Array, never, Failure> => {
  if (stream === "ignore") return Sink.drain
  const failing = at({ module, method: "stdin" })
  const all = Sink.forEach((bytes: Uint8Array) => failing(process.write(bytes)))
  return endOnDone ? Sink.mapEffect(all, () => failing(process.closeStdin)) : all
}

interface Outputs {
  readonly stdout: ChildProcess.CommandOutput
  readonly stderr: ChildProcess.CommandOutput
}

const isPipe = (to: ChildProcess.CommandOutput) => to === "pipe" || to === "overlapped"

/** The output, and a subscription that holds the process until somebody asks for anything of it. */
const makeOutputs = (process: RemoteProcess, subscription: Subscription, to: Outputs) => {
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
  const piped = (name: "stdout" | "stderr" | "all", from = take): Bytes => {
    const output = EventFeed.outputOf(EventFeed.fromSubscription(from), () => undefined)
    return Stream.mapError(
      output(name === "all" ? undefined : name),
      toPlatformError({ module, method: name }),
    )
  }
  const through = (name: "stdout" | "stderr", from = take): Bytes => {
    const sink = to[name]
    return isPipe(sink)
      ? piped(name, from)
      : typeof sink === "string"
        ? Stream.empty
        : Stream.transduce(piped(name, from), sink)
  }
  // Both have subscribed before either reads: the first reader lets the process print more than is retained.
  const both = Effect.map(
    Effect.acquireRelease(Effect.all([take, process.subscribe]), (taken) =>
      Effect.sync(() => taken.forEach(({ close }) => close())),
    ),
    ([one, other]) =>
      Stream.merge(through("stdout", Effect.succeed(one)), through("stderr", Effect.succeed(other))),
  )
  // Together they come in the order of the process.
  const all = isPipe(to.stdout) && isPipe(to.stderr) ? piped("all") : Stream.unwrap(both)
  return { streams: { stdout: through("stdout"), stderr: through("stderr"), all }, release }
}

/** Copies inherited streams to this program; the effect completes when all that the process itself wrote is there. */
const copyOutput = (process: RemoteProcess, { stdout, stderr }: Outputs) =>
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
    yield* Effect.forkDetach(Stream.runForEach(process.events, copy))
    return Deferred.await(copied)
  })

/** The exit code; as on the local host, death by a signal is a failure, where the server tells it. */
const exitOf = (
  client: ExecClient,
  process: RemoteProcess,
  { command }: ChildProcess.StandardCommand,
): Effect.Effect<Spawner.ExitCode, Failure> =>
  Effect.gen(function* () {
    const code = yield* at({ module, method: "exitCode" })(process.exitCode)
    if (code <= 128) return Spawner.ExitCode(code)
    const state = yield* Effect.option(process.read({ afterSeq: Number.MAX_SAFE_INTEGER }))
    const signal = state._tag === "Some" ? state.value.signal : undefined
    if (signal === undefined) return Spawner.ExitCode(code)
    const name = Signals.toPosix(signal, client.environmentInfo.platformOs ?? "linux")
    return yield* PlatformError.systemError({
      module,
      method: "exitCode",
      _tag: "Unknown",
      pathOrDescriptor: command,
      description: `the process died of ${name}`,
    })
  })

/** Sends a signal, and waits for the end: `forceKillAfter` at most, and then kills. */
const kill = (
  client: ExecClient,
  process: RemoteProcess,
  exited: Effect.Effect<unknown, Failure>,
  { killSignal = "SIGTERM", forceKillAfter }: ChildProcess.KillOptions = {},
): Effect.Effect<void, Failure> => {
  const sent = send(client, process, killSignal)
  const ended = Effect.exit(exited)
  if (forceKillAfter === undefined) return Effect.andThen(sent, Effect.asVoid(ended))
  const forced = Effect.andThen(at({ module, method: "kill" })(process.terminate), ended)
  const late = { duration: forceKillAfter, orElse: () => forced }
  return Effect.andThen(sent, Effect.asVoid(Effect.timeoutOrElse(ended, late)))
}

/** Names that are numbers of others on Linux. */
const aliases: Readonly<Record<string, Signals.PosixSignal>> = {
  SIGIOT: "SIGABRT",
  SIGPOLL: "SIGIO",
  SIGUNUSED: "SIGSYS",
}

/** The name on the wire; undefined if it has none. */
const toSignal = (name: ChildProcess.Signal) => Signals.read(aliases[name] ?? name)

const send = (
  { environmentInfo }: ExecClient,
  process: RemoteProcess,
  name: ChildProcess.Signal,
): Effect.Effect<unknown, Failure> =>
  Effect.suspend(() => {
    const failing = at({ module, method: "kill" })
    const signal = toSignal(name)
    if (signal === undefined) return lacking(module, "kill", `no signal of the wire is ${name}`)
    if (signal === "SIGKILL") return failing(Effect.asVoid(process.terminate))
    if (environmentInfo.capabilities?.processDeadlines === true) return failing(process.signal(signal))
    // Such a server knows words only.
    const word = Signals.signalNames.find((word) => Signals.toPosix(word, "linux") === signal)
    return failing(process.signal(word ?? signal))
  })
