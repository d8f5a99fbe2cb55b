/**
 * The client's side over the stdin and stdout of a command that it starts: `exec-server --listen stdio`,
 * here or behind ssh.
 *
 * Closing the scope ends the command's stdin, which a server takes for its end, waits a little, and then
 * kills it. The command's death ends `incoming`, also where a descendant still holds its stdout.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Transport, TransportError } from "../../../core/transport/Transport.ts"
import * as LineTransport from "./LineTransport.ts"

export interface Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** The whole environment; the default is this process's. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The default lets the command write on this process's stderr. */
  readonly stderr?: "inherit" | "ignore"
}

/** How long a command may take to exit after its stdin ended, and again after it was asked to terminate. */
const exitDeadline = "2 seconds"

/** How long the rest of a dead command's stdout is waited for. */
const restDeadline = "250 millis"

/** Starts the command; the scope ends it. */
export const connectCommand = (options: Options): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const exited = yield* Deferred.make<void>()
    const child = yield* Effect.acquireRelease(start(options, exited), (started) => stop(started, exited))
    const { stdin, stdout } = child
    const transport = yield* LineTransport.make({
      label: `JSON-RPC message from ${options.command}`,
      input: stdout,
      output: stdin,
    })
    yield* Deferred.await(exited).pipe(
      Effect.zipRight(Effect.race(Effect.ignore(transport.incoming.await), abandoned(stdout))),
      Effect.zipRight(transport.close),
      Effect.forkScoped,
    )
    return transport
  })

type PipedChild = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }

const start = (
  { command, args = [], env, cwd, stderr = "inherit" }: Options,
  exited: Deferred.Deferred<void>,
): Effect.Effect<PipedChild, TransportError> =>
  Effect.async((resume) => {
    const fail = (cause: Error) =>
      resume(
        Effect.fail(
          new TransportError({ reason: "Open", message: `cannot start ${command}: ${cause.message}`, cause }),
        ),
      )
    try {
      const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", stderr] })
      child.on("error", fail)
      child.on("spawn", () => resume(Effect.succeed(child)))
      child.on("exit", () => Deferred.unsafeDone(exited, Effect.void))
    } catch (cause) {
      fail(cause as Error)
    }
  })

const stop = (child: PipedChild, exited: Deferred.Deferred<void>): Effect.Effect<void> => {
  const exit = Deferred.await(exited).pipe(Effect.interruptible, Effect.timeoutOption(exitDeadline))
  const unlessExited = (signal: NodeJS.Signals) =>
    Effect.whenEffect(Effect.sync(() => send(child, signal)).pipe(Effect.zipRight(exit)), notYet(exited))
  return exit.pipe(
    Effect.zipRight(unlessExited("SIGTERM")),
    Effect.zipRight(unlessExited("SIGKILL")),
    Effect.asVoid,
  )
}

/** Deno's `kill` takes a child for dead after the first signal, also if that was ignored (seen in 2.9). */
const send = (child: PipedChild, signal: NodeJS.Signals): void => {
  if (child.kill(signal) || !("Deno" in globalThis) || child.pid === undefined) return
  try {
    process.kill(child.pid, signal)
  } catch {
    // it has just ended, or `--allow-run` is for some programs only
  }
}

/** A while after death, but never while we are the ones who do not read. */
const abandoned = (stdout: Readable): Effect.Effect<void> =>
  Effect.sleep(restDeadline).pipe(Effect.repeat({ while: () => stdout.isPaused() }), Effect.asVoid)

const notYet = (exited: Deferred.Deferred<void>): Effect.Effect<boolean> =>
  Effect.map(Deferred.isDone(exited), (done) => !done)
