/**
 * The stdin, stdout and stderr of this process, as `procwire run` uses them: raw bytes both ways.
 *
 * Raw mode is always left again. Writes wait while the reader of stdout does not read. The `Terminal` of
 * @effect/platform is not used, because it reads lines and keys, not bytes.
 */
import * as fs from "node:fs"
import process from "node:process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import * as OsError from "../host/OsError.ts"
import * as TerminalModes from "./TerminalModes.ts"

/** Nothing more can be written to stdout or stderr. */
export class OutputFailed extends Error {
  /** Its reader has closed it, as in `procwire run … | head -1`, or its terminal has gone: no word about that. */
  readonly gone: boolean

  constructor(to: "stdout" | "stderr", cause: Error) {
    super(`cannot write to ${to}: ${OsError.fromUnknown(cause).message}`)
    this.gone = !OsError.isFull(cause) && (cause as NodeJS.ErrnoException).code !== "EBADF"
  }
}

/** stdin cannot be read: that is no EOF. */
export class InputFailed extends Error {
  constructor(cause: unknown) {
    super(`cannot read stdin: ${OsError.fromUnknown(cause).message}`, { cause })
  }
}

/**
 * The next bytes on stdin; fails without a value at EOF. It can be interrupted at any time, and reads no further than
 * asked.
 */
const read: Effect.Effect<Uint8Array, Option.Option<InputFailed>> = Effect.async((resume) => {
  const { stdin } = process
  const stop = () => void stdin.off("readable", look).off("end", end).off("error", fail)
  const end = () => {
    stop()
    resume(Effect.fail(Option.none()))
  }
  const fail = (cause: unknown) => {
    stop()
    resume(Effect.fail(Option.some(new InputFailed(cause))))
  }
  const look = () => {
    const bytes: unknown = stdin.read()
    if (!(bytes instanceof Uint8Array)) return
    stop()
    resume(Effect.succeed(bytes))
  }
  if (stdin.errored != null) return fail(stdin.errored)
  if (stdin.readableEnded || stdin.destroyed) return end()
  stdin.on("readable", look).on("end", end).on("error", fail)
  look()
  return Effect.sync(stop)
})

/** Node and Deno have an empty stdin where it is a folder, and Bun throws at a listener. */
const isFolder = (): boolean => {
  try {
    return fs.fstatSync(0).isDirectory()
  } catch {
    return false
  }
}

/** The bytes on stdin until EOF, read with back-pressure. */
export const input: Stream.Stream<Uint8Array, InputFailed> = Stream.suspend(() =>
  isFolder() ? Stream.fail(new InputFailed(OsError.coded("EISDIR"))) : Stream.repeatEffectOption(read),
)

/** Whether stdin is a terminal. */
export const isTerminal = (): boolean => process.stdin.isTTY === true

/** Raw mode until the scope closes: keystrokes come one by one and unchanged. Does nothing without a terminal. */
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

/** What a command has switched on at the terminal. */
export interface Modes {
  /** Takes the next piece of its output. */
  readonly scan: (bytes: Uint8Array) => void
  /** Leaves the modes as they are. */
  readonly keep: () => void
}

/**
 * The modes that a command switches on by its output, which the scope's end switches off unless it was told to
 * `keep` them. What is written next begins a line then.
 */
export const modes: Effect.Effect<Modes, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => ({ seen: TerminalModes.make(), kept: process.stdout.isTTY !== true, inLine: false })),
    ({ seen, kept, inLine }) =>
      Effect.suspend(() => {
        const text = kept ? "" : `${seen.restore()}${inLine ? "\r\n" : ""}`
        return text === "" ? Effect.void : Effect.ignore(write("stdout", new TextEncoder().encode(text)))
      }),
  ),
  (state) => ({
    scan: (bytes) => {
      state.seen.scan(bytes)
      if (bytes.length > 0) state.inLine = bytes.at(-1) !== lineFeed
    },
    keep: () => void (state.kept = true),
  }),
)

const lineFeed = 10

/** Takes bytes for stdout or stderr. */
export type Print = (to: "stdout" | "stderr", bytes: Uint8Array) => Effect.Effect<void, OutputFailed>

/** Writes all of `bytes` to stdout or stderr before it completes. */
export const write: Print = (to, bytes) =>
  Effect.async((resume) => {
    const stream: Writable = process[to]
    stream.write(bytes, (error) =>
      resume(error == null ? Effect.void : Effect.fail(new OutputFailed(to, error))),
    )
  })
