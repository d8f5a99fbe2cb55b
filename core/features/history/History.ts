/**
 * The history of one process: everything that it prints, in files, with the seqs of its log. Only a process whose start
 * has asked for one has it.
 *
 * It is a cursor on the log, in a fiber of its own. Everything is taken as it is appended, not when it leaves the log:
 * so what is about to leave never waits for a disk. Output is copied twice, into a batch and into a file; while one
 * batch is written, the next is filled, and when both are full, the log holds what follows and the child is paused, as
 * for any reader that lags. If the disk is full, the oldest output goes. If a file cannot be written for another
 * reason, the history ends there, and nothing else does.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import type { Attachment } from "../../process/Attachment.ts"
import type { MemoryPool } from "../../protocol/MemoryPool.ts"
import * as ChildScope from "../../process/ChildScope.ts"
import { Batch, mostBatchBytes } from "./Batch.ts"
import type { Budget } from "./Budget.ts"
import type { Ended, Folder, HistoryError, HistoryFilesService, Lost } from "./HistoryFiles.ts"
import type { Place } from "./Records.ts"
import * as Recovery from "./Recovery.ts"
import { type Segment, segmentBytesOf, Segments } from "./Segments.ts"

export interface Services {
  /** Their files. */
  readonly files: HistoryFilesService
  /** The budget of all of them together. */
  readonly budget: Budget
  /** Memory of their batches. */
  readonly memory: MemoryPool
  /** Tells when a chunk is taken. */
  readonly clock: Clock.Clock
}

/** The part of a process that is used here. */
export interface Subject {
  readonly subscribe: (listener: () => void) => () => void
  readonly follow: (seq: number) => Attachment
}

/** Output of a process that another server has begun. */
export interface Begun {
  /** The folder of its history, as it was left; undefined if it had none. */
  readonly folder: string | undefined
  /** Bytes of output that come before the first one that is printed here. */
  readonly byte: number
}

/** Longest wait of output for more before it is written, unless it is asked for: 20 milliseconds. */
export const gatherMillis = 20

export class History {
  /** Set once no more can be written. */
  ended: Ended | undefined
  /** The end of what is in the files. */
  end: Place = { byte: 0, line: 0 }
  /** Undefined before there is a folder. */
  folder: Folder | undefined

  private readonly services: Services
  private readonly maxBytes: number
  private readonly begun: Begun | undefined
  private readonly opened = Deferred.makeUnsafe<void>()
  private readonly left = Latch.makeUnsafe(false)
  private readonly work = Latch.makeUnsafe(false)
  private readonly enough = Latch.makeUnsafe(false)
  private readonly enoughBytes: number
  private readonly waiters = new Waiters()
  private segments: Segments | undefined
  private filling: Batch
  private spare: Batch
  private attachment: Attachment | undefined
  /** The end of what was taken. */
  private taken: Place = { byte: 0, line: 0 }
  private takenSeq = 0
  private isWriting = false
  /** True once the pending output has waited long enough. */
  private isDue = false
  private isOver = false
  /** True once the process is forgotten: what is read then may be there in part. */
  isLeft = false

  /** At most so many bytes of files, and not more than all histories may have. */
  constructor(services: Services, maxBytes: number, begun?: Begun) {
    ;[this.services, this.maxBytes] = [services, Math.min(maxBytes, services.budget.most)]
    this.begun = begun
    const most = Math.min(mostBatchBytes, segmentBytesOf(this.maxBytes))
    this.enoughBytes = (most / 4) * 3
    ;[this.filling, this.spare] = [new Batch(most, services.memory), new Batch(most, services.memory)]
  }

  /** The segments that can be read, oldest first. */
  get kept(): ReadonlyArray<Segment> {
    return this.segments?.list ?? []
  }

  /** Output lost to a full disk, if any. */
  get lost(): Lost | undefined {
    return this.segments?.lost
  }

  /** The seq of the oldest chunk that it has; Infinity if it has none. */
  oldest(): number {
    return (this.kept[0]?.first ?? this.spare.first ?? this.filling.first)?.seq ?? Infinity
  }

  /** Completes when there is a folder, or there will be none. */
  get isOpen(): Effect.Effect<void> {
    return Deferred.await(this.opened)
  }

  /** Notes in the folder what is known of the process. */
  note(facts: object): Effect.Effect<void> {
    return (this.isLeft ? undefined : this.folder?.note?.(facts)) ?? Effect.void
  }

  /** The process is forgotten: the files are removed. */
  leave(): void {
    this.isLeft = true
    this.left.openUnsafe()
  }

  /** Completes when what was printed up to that seq is in the files, or never will be. */
  written(seq: number): Effect.Effect<void> {
    return this.waiters.until(seq, () => {
      this.take()
      if (this.isOver) this.tell()
    })
  }

  /**
   * Takes what `process` prints, from before its spawn until it is forgotten or the scope of its session closes.
   * Completes when the files are removed.
   */
  life(process: Subject, session: Scope.Scope): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.attachment = process.follow(0)
      // A disk that hangs holds up the end of a session for a while only.
      const own = yield* ChildScope.fork(session)
      const over = Effect.sync(() => this.over())
      yield* Scope.addFinalizer(own.child, over)
      yield* Effect.forkIn(Effect.interruptible(this.keep(process, own.child)), own.child)
      // Not within the code that forgets the process, which may have more to do.
      yield* Effect.andThen(this.left.await, Effect.yieldNow)
      yield* own.close
    })
  }

  private keep(process: Subject, scope: Scope.Scope): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const left = this.begun && (yield* this.resume(this.begun, scope))
      const folder = left?.folder ?? (yield* Scope.provide(this.makeFolder(), scope))
      const segments = new Segments(folder, this.maxBytes, this.services.budget)
      yield* Scope.addFinalizer(
        scope,
        Effect.suspend(() => {
          segments.leave()
          return segments.close
        }),
      )
      if (left !== undefined) yield* segments.resume(left.kept)
      ;[this.folder, this.segments] = [folder, segments]
      yield* Deferred.succeed(this.opened, undefined)
      const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
      yield* Effect.acquireUseRelease(
        Effect.sync(() => this.follow(process, (task) => dispatcher.scheduleTask(task, 0))),
        () => this.write(segments),
        (unsubscribe) => Effect.sync(unsubscribe),
      )
    }).pipe(Effect.catch((error) => Effect.sync(() => this.fail(error))))
  }

  /** Goes on behind what another server has written, or else at the byte where the output begins here. */
  private resume(begun: Begun, scope: Scope.Scope): Effect.Effect<Left | undefined> {
    return Effect.map(takeOver(this.services.files, begun, scope), (left) => {
      this.end = this.taken = left?.end ?? { byte: begun.byte, line: 0 }
      this.takenSeq = left?.seq ?? 0
      return left
    })
  }

  /** A folder; on a full disk the oldest output of others makes room for it. */
  private makeFolder(): Effect.Effect<Folder, HistoryError, Scope.Scope> {
    const { budget, files } = this.services
    return Effect.catchIf(
      files.make,
      ({ reason }) => reason === "Full",
      (full) =>
        Effect.andThen(
          budget.tell(full),
          Effect.flatMap(budget.shed(full), (hasRoom) => (hasRoom ? this.makeFolder() : Effect.fail(full))),
        ),
    )
  }

  /** Takes what is there whenever the code that has appended is done. */
  private follow(process: Subject, schedule: (task: () => void) => void): () => void {
    let due = false
    return process.subscribe(() => {
      if (due) return
      due = true
      schedule(() => {
        due = false
        this.take()
      })
    })
  }

  private write(segments: Segments): Effect.Effect<never, HistoryError> {
    const round = Effect.gen({ self: this }, function* () {
      this.take()
      if (this.filling.chunks === 0) {
        this.filling.rest()
        this.spare.rest()
        return yield* this.work.await
      }
      // Many small writes cost more than the bytes.
      yield* this.enough.await
      this.take()
      const batch = this.filling
      const end = this.taken
      ;[this.filling, this.spare, this.isWriting, this.isDue] = [this.spare, batch, true, false]
      this.take()
      yield* segments.append(batch)
      batch.clear()
      ;[this.end, this.isWriting] = [end, false]
      this.tell()
    })
    // A timer for each batch would cost more than the batch.
    const tick = Effect.gen({ self: this }, function* () {
      yield* this.work.await
      yield* Effect.sleep(gatherMillis)
      this.isDue = this.filling.chunks > 0
      this.take()
    })
    return Effect.andThen(Effect.forkChild(Effect.forever(tick)), Effect.forever(round))
  }

  /** Fills the batch with what the log has. */
  private take(): void {
    const { attachment, filling, services } = this
    if (attachment === undefined) return
    for (let event = attachment.next(); event !== undefined; event = attachment.next()) {
      if (event.kind === "output" && event.seq > this.takenSeq) {
        if (filling.isFull(event.bytes.length)) break
        const { byte, line } = this.taken
        const ends = filling.add(event, byte, line, services.clock.currentTimeMillisUnsafe())
        this.taken = { byte: byte + event.bytes.length, line: line + ends }
      }
      this.takenSeq = Math.max(this.takenSeq, event.seq)
      attachment.advance(event.seq)
    }
    this.tell()
    if (filling.chunks > 0) this.work.openUnsafe()
    else this.work.closeUnsafe()
    if (this.isUrgent) this.enough.openUnsafe()
    else this.enough.closeUnsafe()
  }

  private get isUrgent(): boolean {
    return this.isDue || this.waiters.waits || this.filling.size >= this.enoughBytes
  }

  /** Answers those who wait for what is in the files now. */
  private tell(): void {
    if (!this.waiters.waits) return
    if (this.isOver) return this.waiters.tell(Infinity)
    const isEmpty = !this.isWriting && this.filling.chunks === 0
    const before = this.isWriting ? this.spare.first : this.filling.first
    this.waiters.tell(isEmpty ? this.takenSeq : (before?.seq ?? 1) - 1)
  }

  private fail({ reason, message }: HistoryError): void {
    this.ended = { reason, message, byte: this.end.byte }
    this.over()
  }

  /** Nothing holds the log any longer, and there is no waiter for a folder. */
  private over(): void {
    this.isOver = true
    this.attachment?.detach()
    this.attachment = undefined
    this.tell()
    Deferred.doneUnsafe(this.opened, Effect.void)
  }
}

/** The history of another server. */
interface Left {
  readonly folder: Folder
  readonly kept: ReadonlyArray<Segment>
  readonly end: Place
  /** The seq of its last chunk. */
  readonly seq: number
}

/**
 * The history that another server has left. A history has no holes: one that ends before the first output here, because
 * more was printed while there was no server, is removed.
 */
const takeOver = (
  { adopt }: HistoryFilesService,
  { folder: name, byte }: Begun,
  parent: Scope.Scope,
): Effect.Effect<Left | undefined> =>
  Effect.gen(function* () {
    if (name === undefined || adopt === undefined) return undefined
    const scope = yield* Scope.fork(parent)
    const remove = Scope.close(scope, Exit.void)
    const folder = yield* Scope.provide(adopt(name), scope)
    const { kept, end, last } = yield* Effect.tapError(Recovery.recover(folder), () => remove)
    if (last !== undefined && end.byte >= byte) return { folder, kept, end, seq: last.seq }
    yield* remove
    return undefined
  }).pipe(Effect.orElseSucceed(() => undefined))

interface Waiter {
  readonly seq: number
  readonly resume: () => void
}

/** Fibers that wait until output is in the files of a history. */
class Waiters {
  private readonly all = new Set<Waiter>()

  get waits(): boolean {
    return this.all.size > 0
  }

  /** Completes when `tell` is called with that seq or a greater one; `begin` is called once it waits. */
  until(seq: number, begin: () => void): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const waiter = { seq, resume: () => resume(Effect.yieldNow) }
      this.all.add(waiter)
      begin()
      return Effect.sync(() => this.all.delete(waiter))
    })
  }

  /** Everything up to that seq is in the files, or never will be. */
  tell(seq: number): void {
    for (const waiter of this.all) {
      if (waiter.seq > seq) continue
      this.all.delete(waiter)
      waiter.resume()
    }
  }
}
