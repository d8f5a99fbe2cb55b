/**
 * The stdin, stdout and stderr of this process: raw bytes both ways. Writes wait while the reader of stdout does not
 * read.
 */
import * as fs from "node:fs"
import process from "node:process"
import type { Writable } from "node:stream"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as OsError from "./OsError.ts"

/** Nothing more can be written to stdout or stderr. */
export class OutputFailed extends Error {
  /** Its reader has closed it, as in `procwire run … | head -1`, or its terminal has gone: no word about that. */
  readonly gone: boolean

  constructor(to: "stdout" | "stderr", cause: Error) {
    super(`cannot write to ${to}: ${OsError.fromUnknown(cause).message}`, { cause })
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
 * The next bytes on stdin; `Done` at EOF. It can be interrupted at any time, and reads no further than
 * asked.
 */
const read: Effect.Effect<Uint8Array, InputFailed | Cause.Done> = Effect.callback((resume) => {
  const { stdin } = process
  const stop = () => void stdin.off("readable", look).off("end", end).off("error", fail)
  const end = () => {
    stop()
    resume(Cause.done())
  }
  const fail = (cause: unknown) => {
    stop()
    resume(Effect.fail(new InputFailed(cause)))
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
  isFolder() ? Stream.fail(new InputFailed(OsError.coded("EISDIR"))) : Stream.fromEffectRepeat(read),
)

/** Takes bytes for stdout or stderr. */
export type Print = (to: "stdout" | "stderr", bytes: Uint8Array) => Effect.Effect<void, OutputFailed>

/** Writes all of `bytes` to stdout or stderr before it completes. */
export const write: Print = (to, bytes) =>
  Effect.callback((resume) => {
    const stream: Writable = process[to]
    stream.write(bytes, (error) =>
      resume(error == null ? Effect.void : Effect.fail(new OutputFailed(to, error))),
    )
  })
