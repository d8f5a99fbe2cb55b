/**
 * This process's own stdin, stdout and stderr, as `procwire run` uses them.
 *
 * Raw mode is left again whatever happens. Writes wait while the reader of stdout does not read.
 */
import process from "node:process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"

/** The reader of stdout or stderr is gone, as in `procwire run … | head -1`. */
export class OutputClosed extends Error {}

/** The next bytes on stdin; fails at its end. Can be given up at any time, and reads no further than asked. */
const read: Effect.Effect<Uint8Array, Option.Option<never>> = Effect.async((resume) => {
  const { stdin } = process
  const stop = () => void stdin.off("readable", look).off("end", end).off("error", end)
  const end = () => {
    stop()
    resume(Effect.fail(Option.none()))
  }
  const look = () => {
    const bytes: unknown = stdin.read()
    if (!(bytes instanceof Uint8Array)) return
    stop()
    resume(Effect.succeed(bytes))
  }
  if (stdin.readableEnded || stdin.destroyed) return end()
  stdin.on("readable", look).on("end", end).on("error", end)
  look()
  return Effect.sync(stop)
})

/** What comes in on stdin, until its end; read no faster than it is taken. */
export const input: Stream.Stream<Uint8Array> = Stream.repeatEffectOption(read)

/** Whether stdin is a terminal. */
export const isTerminal = (): boolean => process.stdin.isTTY === true

/** Keystrokes go through one by one and unchanged until the scope closes. Nothing without a terminal. */
export const rawMode: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => void (isTerminal() && process.stdin.setRawMode(true))),
  () => Effect.sync(() => void (isTerminal() && process.stdin.setRawMode(false))),
)

/** The size of the terminal on stdout; undefined without one. */
export const size = (): TerminalSize | undefined =>
  process.stdout.isTTY ? { rows: process.stdout.rows, columns: process.stdout.columns } : undefined

/** The size after each change. */
export const resizes: Stream.Stream<TerminalSize> = Stream.asyncPush<TerminalSize>((emit) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const report = () => {
        const now = size()
        if (now !== undefined) emit.single(now)
      }
      process.stdout.on("resize", report)
      return report
    }),
    (report) => Effect.sync(() => process.stdout.off("resize", report)),
  ),
)

/** Each SIGINT that this process gets; without a listener it would end. */
export const interrupts: Stream.Stream<void> = Stream.asyncPush<void>((emit) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const report = () => void emit.single(undefined)
      process.on("SIGINT", report)
      return report
    }),
    (report) => Effect.sync(() => process.off("SIGINT", report)),
  ),
)

/** Writes all of `bytes` to stdout or stderr before it completes. */
export const write = (to: "stdout" | "stderr", bytes: Uint8Array): Effect.Effect<void, OutputClosed> =>
  Effect.async((resume) => {
    const stream: Writable = process[to]
    stream.write(bytes, (error) => resume(error ? Effect.fail(new OutputClosed(error.message)) : Effect.void))
  })
