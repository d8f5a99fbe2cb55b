/**
 * Runs processes to their end, each of which reads the stdout of the one before; `run` has only one.
 *
 * The bytes between two processes go through the client, so that they may be on two servers. They are passed on as they
 * come, and a process that does not read stops the one that writes. When the reader takes no more, the writer gets
 * SIGPIPE, as it would from a pipe. A pipeline that fails or is given up is terminated.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { utf8 } from "../protocol/Bytes.ts"
import * as CommandLine from "../protocol/CommandLine.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import { type Collected, CollectedOutput } from "./CollectedOutput.ts"
import { toError } from "./EventFeed.ts"
import * as Input from "./Input.ts"
import type { LocalStreamsService } from "./Stdio.ts"
import type { Exited, Output } from "./ProcessEvent.ts"
import type { ProcessStarter, Subscribed } from "./ProcessStarter.ts"
import type { RemoteFiles } from "./RemoteFiles.ts"
import type { RemoteProcess } from "./RemoteProcess.ts"
import * as RunResult from "./RunResult.ts"
import * as RunOptions from "./RunOptions.ts"
import { lacking } from "./StartOptions.ts"
import * as Stdio from "./Stdio.ts"

/** The used part of a client. */
export interface Runner {
  readonly startSubscribed: ProcessStarter["startSubscribed"]
  readonly fs: RemoteFiles
  readonly info: () => EnvironmentInfo
  /** The streams of this program; a page has none. */
  readonly local?: LocalStreamsService | undefined
}

/** One process of a pipeline, and where it runs. */
export interface Stage {
  readonly on: Runner
  readonly options: RunOptions.RunOptions<RunResult.Encoding>
}

/** Takes the stdout of a process instead of its result; false once it takes no more. */
export type Sink = (bytes: Uint8Array) => Effect.Effect<boolean>

interface Checked extends Stage {
  readonly settings: RunOptions.Settings
}

interface Running extends Checked, Subscribed {
  /** Its input, unless another process writes it. */
  readonly input: Stream.Stream<string | Uint8Array, ClientError> | undefined
  readonly takers: Stdio.Takers
  /** Prints a line for people, with `verbose`. */
  readonly say: (line: string) => Effect.Effect<void>
  readonly begun: number
}

/**
 * Runs all stages. The result is that of the last one, which may give its stdout to `sink`; fails as the leftmost stage
 * that fails and has `reject`. All are run again where the first that has `retry` says so.
 */
export const run = (
  stages: ReadonlyArray<Stage>,
  sink?: Sink,
): Effect.Effect<RunResult.Result, ClientError> =>
  Effect.flatMap(
    Effect.forEach(stages, (stage) =>
      Effect.map(Effect.fromResult(RunOptions.parse(stage.options)), (settings): Checked => ({
        ...stage,
        settings,
      })),
    ),
    (all) => {
      const retry = all.find(({ settings }) => settings.retry !== undefined)?.settings.retry
      const once = runOnce(all, sink)
      if (retry === undefined) return once
      return RunResult.runAgain(once, retry, () =>
        stages.some(({ options }) => options.signal?.aborted === true),
      )
    },
  )

const runOnce = (stages: ReadonlyArray<Checked>, sink?: Sink): Effect.Effect<RunResult.Result, ClientError> =>
  Effect.scoped(
    Effect.flatMap(
      Effect.forEach(
        stages,
        (stage, index) => begin(stage, { reads: index > 0, writes: index < stages.length - 1 }),
        { concurrency: "unbounded" },
      ),
      (all) =>
        Effect.forEach(all, (running, index) => finish(running, all[index + 1], sink), {
          concurrency: "unbounded",
        }),
    ),
  ).pipe(
    Effect.flatMap((ends) => {
      const failure = ends.find(({ result, cut, rejects }) => rejects && !cut && RunResult.isFailure(result))
      if (failure !== undefined) return Effect.fail(RunResult.failed(failure.argv, failure.result))
      const results = ends.map(({ result }) => result)
      const last = results.pop() as RunResult.Result
      return Effect.succeed(results.length === 0 ? last : RunResult.pipedFrom(last, results))
    }),
  )

/**
 * Starts a process, which the end of the scope terminates unless it has ended. It is subscribed to from its start: the
 * others of the pipeline may start much later.
 */
const begin = (stage: Checked, { reads, writes }: { readonly reads: boolean; readonly writes: boolean }) =>
  Effect.gen(function* () {
    const { on, options, settings } = stage
    // As in a shell, the pipe between two processes stands in place of their streams.
    const stdio = {
      ...settings.stdio,
      ...(reads ? { inherits: false } : {}),
      ...(writes ? { stdout: "pipe" as const } : {}),
    }
    const needed = Stdio.needsProgram(stdio)
    if (needed !== undefined && on.local === undefined) return yield* Effect.fail(Stdio.lacking(needed))
    const input = inputOf(settings.input, stdio, on)
    const start = reads ? { ...settings.start, pipeStdin: true } : settings.start
    if ((reads || input !== undefined) && on.info().capabilities?.processCloseStdin !== true) {
      const what = reads ? "pipe" : stdio.inherits ? 'stdin: "inherit"' : "input"
      return yield* Effect.fail(lacking(what, "processCloseStdin"))
    }
    const say = yield* speaker(settings.verbose, on)
    const takers = yield* Stdio.open(stdio, on.local)
    const begun = yield* Clock.currentTimeMillis
    const started = yield* Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(on.startSubscribed(start)), ({ process, subscription }) =>
        Effect.addFinalizer((exit) => {
          subscription.close()
          // The signal of a start ends the process itself, in its own way.
          const ended = Exit.isSuccess(exit) || options.signal?.aborted === true
          return ended ? Effect.void : Effect.ignore(process.terminate)
        }),
      ),
    )
    yield* say(`$ ${CommandLine.of(options.argv)}`)
    return { ...stage, ...started, input, takers, say, begun }
  })

const finish = (running: Running, reader: Running | undefined, sink: Sink | undefined) =>
  Effect.gen(function* () {
    const { on, options, settings, process, input, say, begun } = running
    const to = reader === undefined ? sink : (bytes: Uint8Array) => passedOn(reader.process, bytes)
    const collected = collect(running, to)
    const { cut, ...ended } = yield* input === undefined
      ? collected
      : Effect.raceFirst(collected, Effect.andThen(Input.feed(input, process), Effect.never))
    if (reader !== undefined) yield* Effect.ignore(reader.process.closeStdin)
    const exitCode = yield* process.exitCode
    const durationMs = (yield* Clock.currentTimeMillis) - begun
    const platform = on.info().platformOs ?? "linux"
    const result = RunResult.make({ exitCode, durationMs, platform, ...ended })
    yield* say(
      `# ${CommandLine.quoted(options.argv[0] ?? "")} ${RunResult.ending(result)} after ${durationMs} ms`,
    )
    return { argv: options.argv, result, cut, rejects: settings.reject === true }
  })

/** Prints lines on the stderr of this program, where that is asked for. One that is gone stops no command. */
const speaker = (verbose: boolean, { local }: Runner): Effect.Effect<Running["say"], ClientError> => {
  if (!verbose) return Effect.succeed(() => Effect.void)
  if (local === undefined) return Effect.fail(Stdio.lacking("verbose: true"))
  return Effect.succeed((line) => Effect.ignore(local.stderr(utf8.encode(`${line}\n`))))
}

/** The stdin of a process to which no other one writes. */
const inputOf = (input: Input.Input | undefined, { inherits }: Stdio.Stdio, { fs, local }: Runner) => {
  if (input !== undefined) return Input.pieces(input, fs)
  return inherits && local !== undefined ? Stream.mapError(local.stdin, Input.failure) : undefined
}

/** Reads the events of a process to their end. */
const collect = ({ process, subscription: { next }, settings, takers }: Running, sink: Sink | undefined) =>
  Effect.gen(function* () {
    const { maxBuffer, reject, onOutput } = settings
    const output = new CollectedOutput(maxBuffer)
    let exited: Exited | undefined
    let [truncated, cut] = [false, false]
    for (let batch = yield* next; batch !== undefined; batch = yield* next) {
      for (const event of batch) {
        if (event.kind === "failed") return yield* Effect.fail(toError(event))
        if (event.kind === "exited") exited = event
        if (event.kind !== "output") continue
        onOutput?.(event)
        const stream = streamOf(event)
        if (stream === "stdout" && sink !== undefined) {
          if (cut || (yield* sink(event.bytes))) continue
          cut = true
          yield* brokenPipe(process)
        } else if (takers[stream] !== undefined) {
          yield* takers[stream](event.bytes)
        } else if (!output.add(stream, event.bytes) && !truncated) {
          truncated = true
          if (reject !== false) return yield* Effect.fail(tooLarge(stream, maxBuffer))
          yield* Effect.ignore(process.terminate)
        }
      }
    }
    return { output, exited, truncated, cut }
  })

const streamOf = ({ stream }: Output): Collected => (stream === "stderr" ? "stderr" : "stdout")

/** Writes what one process has printed to the next one. */
const passedOn = (to: RemoteProcess, bytes: Uint8Array): Effect.Effect<boolean> =>
  to.write(bytes).pipe(
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false)),
  )

/** Does as the kernel does to a writer into a pipe without a reader. */
const brokenPipe = (process: RemoteProcess) =>
  process.end({ signal: "SIGPIPE" }).pipe(
    Effect.catch(() => process.terminate),
    Effect.ignore,
  )

const tooLarge = (stream: Collected, maxBuffer: number) =>
  clientError(
    "OutputTooLarge",
    `${stream} has more than the ${maxBuffer} bytes of maxBuffer, and the process was terminated: ` +
      "start() it and read text() or output() piece by piece, or run() it with a larger maxBuffer",
  )
