/**
 * A file of lines that only grows. Lines that come together are written together, in order; each is whole, also
 * beside other programs that append to the file.
 *
 * `commit` completes when its line is on the disk. A line of `append` that cannot be written is tried again every
 * second, and is lost only if too many wait. What a failed write has left of a line stays in the file and is ended
 * before the next one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { LineError } from "./LineError.ts"
import { type Line, LineQueue } from "./LineQueue.ts"
import * as LineWriter from "./LineWriter.ts"

/** Hears how the file is doing. */
export interface Listener {
  /** The file can no longer be written: called once, until it can be written again. */
  readonly failed: (error: LineError) => Effect.Effect<void>
  /** It can be written again. */
  readonly recovered: Effect.Effect<void>
  /** Lines of `append` will never be written: too many wait, or this is the end. */
  readonly lost: (lines: number) => void
}

export interface LineFile {
  /** Writes a line to the disk. If it fails the line is not written later, unless that has begun. */
  readonly commit: (line: string) => Effect.Effect<void, LineError>
  /** Writes a line some time soon. */
  readonly append: (line: string) => void
  /** The last try has failed. */
  readonly failing: () => boolean
}

/** How long `commit` waits, and the end of the scope for what still has to be written, in milliseconds: 5 seconds. */
export const deadlineMillis = 5000

/** Milliseconds between two tries while the file cannot be written, unless a `commit` comes: 1 second. */
export const retryMillis = 1000

/** UTF-16 units of lines of `append` that wait at most while the file cannot be written: 8 Mi. */
export const maxWaiting = 8 * 1024 * 1024

/** Writes until the scope closes, and at last what still waits. */
export const make = (
  descriptor: LineWriter.Descriptor,
  listener: Listener,
): Effect.Effect<LineFile, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = new LineQueue(maxWaiting)
    const health = makeHealth(listener)
    const work = yield* Effect.makeLatch(false)
    const writer = LineWriter.make(descriptor)
    const turn = Effect.uninterruptible(writeWaiting(writer, queue, health, listener.lost))
    const due = Effect.suspend(() =>
      health.failing() ? Effect.timeoutOption(work.await, retryMillis) : work.await,
    )

    // A write that hangs must not hang the end of the scope, so the writer has a scope of its own.
    const own = yield* Scope.make()
    yield* Effect.addFinalizer(() => {
      const end = Effect.zipRight(Scope.close(own, Exit.void), turn)
      const ended = Effect.interruptible(Effect.timeoutOption(Effect.disconnect(end), deadlineMillis))
      return Effect.map(ended, () => {
        if (queue.length > 0) listener.lost(queue.length)
      })
    })
    yield* due.pipe(
      Effect.zipRight(Effect.sync(() => work.unsafeClose())),
      Effect.zipRight(turn),
      Effect.forever,
      Effect.interruptible,
      Effect.forkIn(own),
    )

    const commit = (text: string) =>
      Effect.gen(function* () {
        const line = { text, done: yield* Deferred.make<void, LineError>() }
        queue.add(line)
        work.unsafeOpen()
        const late = new LineError({ reason: "Timeout" })
        const tooLate = Effect.zipRight(health.fail(late), Effect.fail(late))
        yield* Deferred.await(line.done).pipe(
          Effect.timeoutOption(deadlineMillis),
          Effect.ensuring(Effect.sync(() => queue.remove(line))),
          Effect.flatMap((written) => (written._tag === "Some" ? Effect.void : tooLate)),
        )
      })
    const append = (text: string) => {
      queue.add({ text })
      if (!health.failing()) work.unsafeOpen()
    }
    return { commit, append, failing: health.failing }
  })

/** Whether the file can be written, with a word to the listener each time that this changes. */
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

/** Writes every line that waits, and tells those who wait for one. */
const writeWaiting = (
  writer: LineWriter.LineWriter,
  queue: LineQueue,
  health: Health,
  lost: (lines: number) => void,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const lines = queue.takeAll()
    if (lines.length === 0) return
    const durable = lines.some(isAwaited)
    const texts = lines.map(({ text }) => text)
    const { whole, result } = yield* writer.write(texts, durable)
    const outcome = Either.mapLeft(result, (cause) => new LineError({ reason: "Write", cause }))
    for (const { done } of lines) if (done !== undefined) yield* Deferred.complete(done, outcome)
    if (Either.isRight(outcome)) return yield* health.recover
    const dropped = queue.putBack(lines.slice(whole).filter((line) => !isAwaited(line)))
    if (dropped > 0) lost(dropped)
    yield* health.fail(outcome.left)
  })

const isAwaited = ({ done }: Line): boolean => done !== undefined
