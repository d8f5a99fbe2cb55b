/**
 * The client's side over the stdin and stdout of a command that it starts: `exec-server --listen stdio`, here or
 * behind ssh.
 *
 * Closing the scope ends the command's stdin, which makes a server exit; a command that does not exit in time gets
 * SIGTERM, then SIGKILL. The command's death, or the end of its stdin from its side, ends `incoming` after what it has
 * written, even if a descendant still holds its stdout. It fails if the command has failed: the error says how.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { cutNotification } from "../../../core/protocol/CutText.ts"
import { type Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as LineTransport from "./LineTransport.ts"

/** The command to start. */
export interface Options {
  /** A path, or a name that is looked up in PATH. No shell is involved. */
  readonly command: string
  /** Its arguments, without the name of the command; the default is none. */
  readonly args?: ReadonlyArray<string>
  /** The whole environment; the default is that of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The default is the working directory of this process. */
  readonly cwd?: string
  /**
   * The target of the stderr of the command: `inherit`, the default, is that of this process; a function gets what it
   * writes. The error of a command that ends has its last lines, but with `ignore`.
   */
  readonly stderr?: "inherit" | "ignore" | ((bytes: Uint8Array) => void)
}

/** The longest time for the exit of a command after the end of its stdin, and again after SIGTERM. */
const exitDeadline = "2 seconds"

/** A dead command has ended once nothing has arrived from it for so many milliseconds. */
const restMillis = 250

/** The most that a dead command can have left in its pipe: `fs.pipe-max-size` of Linux, in bytes. */
const mostRest = 1024 * 1024

/** Starts the command, or fails if that is impossible; closing the scope ends it. */
export const connectCommand = (options: Options): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const exited = yield* Deferred.make<void>()
    const child = yield* Effect.acquireRelease(start(options, exited), (started) => stop(started, exited))
    const { stdin, stdout } = child
    // The runtime closes the stdin of a dead child, perhaps before it has read what the child wrote.
    const gone = yield* Deferred.make<void>()
    const onOutputClosed = () => Deferred.doneUnsafe(gone, Effect.void)
    let answered = false
    stdout.once("data", () => (answered = true))
    const transport = yield* LineTransport.make({
      label: `JSON-RPC message from ${options.command}`,
      input: stdout,
      output: stdin,
      cut: cutNotification,
      onOutputClosed,
      whyEnded: (tell) => failureOf(child, answered, tell),
    })
    yield* Effect.race(Deferred.await(exited), Deferred.await(gone)).pipe(
      Effect.andThen(Effect.race(Effect.ignore(transport.incoming.await), abandoned(stdout))),
      Effect.andThen(transport.close),
      Effect.forkScoped,
    )
    const unref = () => {
      transport.unref?.()
      child.unref()
      ;(child.stderr as { unref?: () => void } | null)?.unref?.()
    }
    return { ...transport, unref }
  })

type PipedChild = ChildProcess & {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The end of its stderr. */
  said: Uint8Array
}

/** The most bytes of the end of stderr, and the most lines of it, that an error has. */
const mostSaid = 2048
const mostLines = 10

const start = (
  { command, args = [], env, cwd, stderr = "inherit" }: Options,
  exited: Deferred.Deferred<void>,
): Effect.Effect<PipedChild, TransportError> =>
  Effect.callback((resume) => {
    const fail = (cause: Error) =>
      resume(
        Effect.fail(
          new TransportError({ reason: "Open", message: `cannot start ${command}: ${cause.message}`, cause }),
        ),
      )
    try {
      const stdio = ["pipe", "pipe", stderr === "ignore" ? "ignore" : "pipe"] as ["pipe", "pipe", "pipe"]
      const child: PipedChild = Object.assign(spawn(command, args, { env, cwd, stdio }), {
        said: new Uint8Array(),
      })
      const tell = typeof stderr === "function" ? stderr : (bytes: Uint8Array) => process.stderr.write(bytes)
      child.stderr?.on("error", () => {})
      child.stderr?.on("data", (bytes: Uint8Array) => {
        child.said = Buffer.concat([child.said, bytes]).subarray(-mostSaid)
        tell(bytes)
      })
      child.on("error", fail)
      child.on("spawn", () => resume(Effect.succeed(child)))
      child.on("exit", () => Deferred.doneUnsafe(exited, Effect.void))
    } catch (cause) {
      fail(cause as Error)
    }
  })

const stop = (child: PipedChild, exited: Deferred.Deferred<void>): Effect.Effect<void> => {
  const exit = Deferred.await(exited).pipe(Effect.interruptible, Effect.timeoutOption(exitDeadline))
  const unlessExited = (signal: NodeJS.Signals) =>
    Effect.when(Effect.sync(() => send(child, signal)).pipe(Effect.andThen(exit)), notYet(exited))
  return exit.pipe(
    Effect.andThen(unlessExited("SIGTERM")),
    Effect.andThen(unlessExited("SIGKILL")),
    Effect.asVoid,
  )
}

/**
 * Tells how the command has failed, when it has ended. Tells nothing if it has not within `restMillis`, or has ended
 * with 0 after an answer, or without a word.
 */
const failureOf = (child: PipedChild, answered: boolean, tell: (error?: TransportError) => void): void => {
  const report = () => {
    const { exitCode: code, signalCode: signal } = child
    if (signal !== null) tell(failed(`${signal} has ended the command${lastLines(child)}`))
    else if (code === null || (code === 0 && (answered || child.said.length === 0))) tell()
    else tell(failed(`the command has exited with code ${code}${lastLines(child)}`))
  }
  const ended = once(() => {
    clearTimeout(timer)
    const { stderr } = child
    if (stderr === null || stderr.readableEnded || stderr.destroyed) return report()
    const over = once(() => {
      clearTimeout(rest)
      report()
    })
    // A descendant may hold it.
    const rest = afterRest(over)
    stderr.once("close", over)
  })
  const timer = afterRest(ended)
  if (child.exitCode === null && child.signalCode === null) child.once("exit", ended)
  else ended()
}

const once = (then: () => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    then()
  }
}

/** Behind the events that are due by then: where this process was held up, the timer is served before them. */
const afterRest = (then: () => void) => setTimeout(() => setImmediate(then), restMillis)

/** Its last words, for people. */
const lastLines = ({ said }: PipedChild): string => {
  const lines = Buffer.from(said).toString("utf8").trimEnd().split("\n")
  const text = lines.slice(-mostLines).join("\n")
  return text === "" ? "" : `: ${lines.length > 1 ? "\n" : ""}${text}`
}

const failed = (message: string): TransportError => new TransportError({ reason: "Io", message })

/** Deno's `kill` takes a child for dead after the first signal, even if the child ignored it (seen in 2.9). */
const send = (child: PipedChild, signal: NodeJS.Signals): void => {
  if (child.kill(signal) || !("Deno" in globalThis) || child.pid === undefined) return
  try {
    process.kill(child.pid, signal)
  } catch {
    // The command has just exited, or `--allow-run` names programs and so forbids signals.
  }
}

/**
 * Completes when nothing has come for `restMillis`, or more than the command can have left: a descendant may write
 * for ever. Not while back-pressure keeps this side from reading, nor behind its end, of which `failureOf` tells; and
 * what lies there when a starved process wakes up is read first.
 */
const abandoned = (stdout: Readable): Effect.Effect<void> =>
  Effect.suspend(() => {
    let read = 0
    stdout.on("data", (chunk: Uint8Array) => (read += chunk.length))
    const over = Effect.gen(function* () {
      const before = read
      yield* Effect.sleep(restMillis)
      yield* turn
      return read > mostRest || (read === before && !stdout.isPaused() && !stdout.readableEnded)
    })
    return Effect.asVoid(Effect.repeat(over, { until: (is) => is }))
  })

/** A turn of the event loop, which reads pending input. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const notYet = (exited: Deferred.Deferred<void>): Effect.Effect<boolean> =>
  Effect.map(Deferred.isDone(exited), (done) => !done)
