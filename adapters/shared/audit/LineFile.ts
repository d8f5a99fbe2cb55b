/**
 * A file of lines that only grows. Lines that come together are written together, in order; each is whole, also
 * beside other programs that append to the file.
 *
 * `commit` completes when its line is on the disk. A line of `append` that cannot be written is tried again every
 * second, and is lost only if too many wait. A part of a line after a failed write stays in the file and is ended
 * before the next one.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { abandonable } from "../../../core/protocol/Abandon.ts"

/** A line could not be written. `cause` is the error of the system. */
export class LineError extends Data.TaggedError("LineError")<{
  readonly reason: "Write" | "Timeout"
  readonly cause?: unknown
}> {}

/** An open file. Its effects fail with the error of the system. */
export interface Descriptor {
  /** Writes some of the bytes, at the end of the file, and returns how many. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<number, unknown>
  /** Waits until the disk has the written bytes. */
  readonly sync: Effect.Effect<void, unknown>
  /** True if the file ended within a line when it was opened. */
  readonly torn: boolean
}

export interface Listener {
  /** The file can no longer be written: called once, until it can be written again. */
  readonly failed: (error: LineError) => Effect.Effect<void>
  readonly recovered: Effect.Effect<void>
  /** Lines of `append` will never be written: too many wait, or this is the end. */
  readonly lost: (lines: number) => void
}

export interface LineFile {
  /** Writes a line to the disk. If it fails the line is not written later, unless that has begun. */
  readonly commit: (line: string) => Effect.Effect<void, LineError>
  /** Writes a line some time soon. */
  readonly append: (line: string) => void
  readonly failing: () => boolean
}

/** The deadline of `commit`, and of the last lines at the end of the scope, in milliseconds: 5 seconds. */
export const deadlineMillis = 5000

/** Milliseconds between two tries while the file cannot be written, unless a `commit` comes: 1 second. */
export const retryMillis = 1000

/** UTF-16 units of lines of `append` that wait at most while the file cannot be written: 8 Mi. */
export const maxWaiting = 8 * 1024 * 1024

/** Writes until the scope closes, and at last what still waits. */
export const make = (
  descriptor: Descriptor,
  listener: Listener,
): Effect.Effect<LineFile, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting: Array<Line> = []
    const health = makeHealth(listener)
    const work = yield* Latch.make(false)
    const write = makeWrite(descriptor)
    const turn = Effect.uninterruptible(writeWaiting(write, waiting, health, listener.lost))
    const due = Effect.suspend(() =>
      health.failing() ? Effect.timeoutOption(work.await, retryMillis) : work.await,
    )

    // A write that hangs must not hang the end of the scope, so the writer has a scope of its own.
    const own = yield* Scope.make()
    yield* Effect.addFinalizer(() => {
      const end = Effect.andThen(Scope.close(own, Exit.void), turn)
      const ended = Effect.interruptible(Effect.timeoutOption(abandonable(end), deadlineMillis))
      return Effect.map(ended, () => {
        if (waiting.length > 0) listener.lost(waiting.length)
      })
    })
    yield* due.pipe(
      // Lines that come together are one write.
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(Effect.sync(() => work.closeUnsafe())),
      Effect.andThen(turn),
      Effect.forever,
      Effect.interruptible,
      Effect.forkIn(own),
    )

    const commit = (text: string) =>
      Effect.gen(function* () {
        const line = { text, done: yield* Deferred.make<void, LineError>() }
        waiting.push(line)
        work.openUnsafe()
        const late = new LineError({ reason: "Timeout" })
        const tooLate = Effect.andThen(health.fail(late), Effect.fail(late))
        yield* Deferred.await(line.done).pipe(
          Effect.timeoutOption(deadlineMillis),
          Effect.ensuring(
            Effect.sync(() => {
              const at = waiting.indexOf(line)
              if (at >= 0) waiting.splice(at, 1)
            }),
          ),
          Effect.flatMap((written) => (written._tag === "Some" ? Effect.void : tooLate)),
        )
      })
    const append = (text: string) => {
      waiting.push({ text })
      if (!health.failing()) work.openUnsafe()
    }
    return { commit, append, failing: health.failing }
  })

/** The state of the file, writable or not; the listener hears of each change. */
interface Health {
  readonly failing: () => boolean
  readonly fail: (error: LineError) => Effect.Effect<void>
  readonly recover: Effect.Effect<void>
}

const makeHealth = ({ failed, recovered }: Listener): Health => {
  let failing = false
  const change = (to: boolean, tell: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (failing === to) return Effect.void
      failing = to
      return tell
    })
  return {
    failing: () => failing,
    fail: (error) => change(true, failed(error)),
    recover: change(false, recovered),
  }
}

interface Line {
  readonly text: string
  /** Completed with the outcome of the line; absent for lines of `append`. */
  readonly done?: Deferred.Deferred<void, LineError>
}

/** Writes every waiting line, and completes those of `commit`. */
const writeWaiting = (
  write: Write,
  waiting: Array<Line>,
  health: Health,
  lost: (lines: number) => void,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const lines = waiting.splice(0)
    if (lines.length === 0) return
    const texts = lines.map(({ text }) => text)
    const durable = lines.some(({ done }) => done !== undefined)
    const { whole, result } = yield* write(texts, durable)
    const outcome = Result.mapError(result, (cause) => new LineError({ reason: "Write", cause }))
    if (Result.isSuccess(outcome)) yield* health.recover
    else {
      const dropped = putBack(
        waiting,
        lines.slice(whole).filter(({ done }) => done === undefined),
      )
      if (dropped > 0) lost(dropped)
      yield* health.fail(outcome.failure)
    }
    // At last: a waiter for a line goes on within this.
    for (const { done } of lines)
      if (done !== undefined) yield* Deferred.complete(done, Effect.fromResult(outcome))
  })

/** Has lines wait again, in front of the others; the oldest are dropped if they are too many. How many these were. */
const putBack = (waiting: Array<Line>, lines: ReadonlyArray<Line>): number => {
  let dropped = lines.length
  for (let size = 0; dropped > 0; dropped--)
    if ((size += lines[dropped - 1]?.text.length ?? 0) > maxWaiting) break
  waiting.unshift(...lines.slice(dropped))
  return dropped
}

interface Written {
  /** The number of lines, from the first, that are whole in the file. */
  readonly whole: number
  /** The error that the others met, or the disk. */
  readonly result: Result.Result<void, unknown>
}

/** Writes lines, and with `durable` waits for the disk. One call at a time. */
type Write = (lines: ReadonlyArray<string>, durable: boolean) => Effect.Effect<Written>

/** Bytes that are encoded at once, roughly: 1 MiB. A disk that fails is noticed before more is. */
const batchSize = 1024 * 1024

const makeWrite = (descriptor: Descriptor): Write => {
  let { torn } = descriptor

  const writeBatch = (lines: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const pieces = lines.map((line, index) => Buffer.from(`${index === 0 && torn ? "\n" : ""}${line}\n`))
      const bytes = Buffer.concat(pieces)
      let at = 0
      const all = Effect.gen(function* () {
        while (at < bytes.length) at += yield* descriptor.write(bytes.subarray(at))
      })
      const result = yield* Effect.result(all)
      if (at > 0) torn = bytes[at - 1] !== newline
      return { whole: countWhole(pieces, at), result }
    })

  return (lines, durable) =>
    Effect.gen(function* () {
      let whole = 0
      while (whole < lines.length) {
        const written = yield* writeBatch(lines.slice(whole, batchEnd(lines, whole)))
        whole += written.whole
        if (Result.isFailure(written.result)) return { whole, result: written.result }
      }
      return { whole, result: durable ? yield* Effect.result(descriptor.sync) : Result.void }
    })
}

const newline = 0x0a

/** The end of a batch of lines, of which there is at least one. */
const batchEnd = (lines: ReadonlyArray<string>, start: number): number => {
  let end = start
  for (let size = 0; end < lines.length && size < batchSize; end++) size += lines[end]?.length ?? 0
  return end
}

const countWhole = (pieces: ReadonlyArray<Uint8Array>, written: number): number => {
  let end = 0
  const first = pieces.findIndex(({ length }) => (end += length) > written)
  return first === -1 ? pieces.length : first
}
