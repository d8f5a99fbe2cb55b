/** The acts of a client on a process that has started, apart from reading its output. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as AtOnce from "../protocol/AtOnce.ts"
import type { ChildHandle, SignalName, TerminalSize } from "../spawn/Spawner.ts"
import type { SignalError } from "../spawn/SpawnError.ts"
import type { Asked } from "./Cause.ts"
import type { Grace } from "./Grace.ts"
import type { Process } from "./Process.ts"
import { ProcessError, type WriteError } from "./ProcessError.ts"
import { Sizes } from "./Sizes.ts"

/** The result of `process/write`. `accepted` means queued: the child may never read it. */
export type WriteStatus = "accepted" | "unknownProcess" | "stdinClosed"

/** Queues bytes for stdin or the PTY. A `writeId` that was accepted before is accepted again and writes nothing. */
export const write = (
  process: Process,
  bytes: Uint8Array,
  writeId: string | undefined,
): Effect.Effect<WriteStatus, WriteError> => {
  const { stdin } = process
  if (stdin === undefined) return Effect.succeed("stdinClosed")
  if (stdin.knows(writeId)) return Effect.succeed("accepted")
  if (stdin.ended()) return Effect.succeed("stdinClosed")
  if (process.terminated) {
    return Effect.fail(new ProcessError({ reason: "StdinGone", processId: process.id }))
  }
  return AtOnce.map(stdin.write(bytes, writeId), () => "accepted")
}

/** Ends a piped stdin after the writes before the call. Without an open stdin it does nothing. */
export const closeStdin = ({ stdin }: Process): Effect.Effect<void> => stdin?.end() ?? Effect.void

/** Sends a signal to the process group of a running process. */
export const signal = ({ child, running }: Process, name: SignalName): Effect.Effect<void, SignalError> =>
  child !== undefined && running ? child.signal(name) : Effect.void

/** Sends SIGKILL to the process group; queued writes are dropped. */
export const terminate = (process: Process): Effect.Effect<void> => {
  process.terminate()
  process.stdin?.close()
  return process.child?.kill ?? Effect.void
}

/** Milliseconds that the pipes of killed descendants have to end, before they are abandoned. */
export const farewellMillis = 1000

/**
 * Asks a running process to end, and kills what is left after the grace. Completes when nothing is left, or is killed.
 */
export const end = (process: Process, { signal: name, millis }: Grace, asked: Asked): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { child } = process
    if (child === undefined || process.hasEnded) return
    process.cause.ask(asked)
    if (millis === 0) return yield* terminate(process)
    const until = (yield* Clock.currentTimeMillis) + millis
    yield* Effect.ignore(child.signal(name))
    // A stopped process handles the signal only when it continues.
    if (name !== "SIGSTOP") yield* Effect.ignore(child.signal("SIGCONT"))
    yield* Effect.timeoutOption(process.ended, millis)
    if (!process.hasEnded) return yield* terminate(process)
    if (!(yield* hasDescendants(child))) return
    yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
    if (!(yield* hasDescendants(child))) return
    yield* child.kill
    yield* Effect.timeoutOption(process.whenClosed, farewellMillis)
    if (process.closed === undefined) yield* child.abandonOutput
  })

/** True while somebody is left of the child that has exited. */
export const hasDescendants = (child: ChildHandle): Effect.Effect<boolean> =>
  Effect.flatMap(child.lingering, (lingering) =>
    lingering ? Effect.succeed(true) : (child.outlived ?? Effect.succeed(false)),
  )

/** Sets the size of the PTY of a running process. */
export const resize = (
  process: Process,
  size: TerminalSize,
): Effect.Effect<void, ProcessError | SignalError> => {
  const { id, child, running, stdio } = process
  if (stdio.kind !== "pty" || child?.resize === undefined) {
    return Effect.fail(new ProcessError({ reason: "NoTerminal", processId: id }))
  }
  if (!running) return Effect.void
  return Effect.map(child.resize(size), () => {
    const sizes = stdio.sizes ?? new Sizes(process.log, stdio.size)
    sizes.note(size)
    process.stdio = { ...stdio, size, sizes }
  })
}
