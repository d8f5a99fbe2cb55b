/**
 * The tally from which the receipt of one process is made.
 *
 * Bytes are counted where the spawner reports them. The hashes are a cursor on the log, in a fiber of its own: it takes
 * what is there whenever the code that has appended is done, and lags no further than any reader.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Scheduler from "effect/Scheduler"
import { type Attachment, streamsOf } from "../../process/Attachment.ts"
import type { Chunk } from "../../process/Chunk.ts"
import type { Process } from "../../process/Process.ts"
import type { Hash, HasherService } from "../../protocol/Hasher.ts"
import type * as Spawner from "../../spawn/Spawner.ts"
import type { Receipt, StreamReceipt } from "./wire.ts"

/** Longest time for the hashes of an ended process, in milliseconds: then the receipt goes without them. */
export const digestMillis = 5000

interface Stream {
  bytes: number
  hashed: number
  chunks: number
  firstSeq: number | undefined
  lastSeq: number | undefined
  unreadBytes: number
  readonly hash: Hash
}

export interface Services {
  readonly clock: Clock.Clock
  readonly hasher: HasherService
}

export class ReceiptTally {
  /** Set once the process has ended and everything is hashed. */
  receipt: Receipt | undefined

  private readonly process: Process
  private readonly services: Services
  private readonly startedAtMs: number
  private readonly streams: ReadonlyMap<Spawner.OutputStream, Stream>
  private end: (Pick<Receipt, "endedBy" | "endedAtMs"> & Partial<Receipt>) | undefined
  /** The greatest seq that a client has got. */
  private taken = 0
  private readonly work = Latch.makeUnsafe(false)
  private settle: (() => void) | undefined

  /** The tally of a process, which has printed nothing yet but what it has lost. */
  constructor(process: Process, startedAtMs: number, services: Services) {
    this.process = process
    this.services = services
    this.startedAtMs = startedAtMs
    const streams = streamsOf(process.stdio)
    const begin = (stream: Spawner.OutputStream) =>
      emptyStream(services.hasher, process.adopted?.lost[stream])
    this.streams = new Map(streams.map((stream) => [stream, begin(stream)]))
  }

  /** The same callbacks of the spawner, which also count. */
  around(events: Spawner.SpawnEvents): Spawner.SpawnEvents {
    const { process } = this
    return {
      output: (stream, bytes) => {
        const counted = this.streams.get(stream)
        if (counted !== undefined) counted.bytes += bytes.length
        events.output(stream, bytes)
      },
      end: events.end,
      exit: (status, ending) => {
        this.end ??= {
          ...ending,
          endedBy: process.cause.of(status, ending, process.terminated),
          ...(status.kind === "signaled" ? { signal: status.signal } : {}),
          endedAtMs: process.endedAtMs ?? this.services.clock.currentTimeMillisUnsafe(),
        }
        events.exit(status, ending)
      },
    }
  }

  /** The log is about to evict its oldest chunk, of so many bytes: they are unread if no client has got them. */
  evicting(bytes: number): void {
    const oldest = this.process.log.after(0)
    if (oldest !== undefined && oldest.seq > this.taken) this.of(oldest).unreadBytes += bytes
  }

  /** A client has got everything up to and including `seq`. */
  read(seq: number): void {
    this.taken = Math.max(this.taken, seq)
  }

  /** The process has ended and all its output is in the log. Calls `settle` when there is a receipt. */
  close(settle: () => void): void {
    this.settle = settle
    this.work.openUnsafe()
  }

  /**
   * Hashes what the process writes, from its first output, until there is a receipt. That is a plain function, run by
   * the scheduler of the fibers once the code that has appended is done; the effect waits for room, and for the end.
   */
  run(): Effect.Effect<void> {
    const { process } = this
    const attachment = process.follow(0)
    let full: Effect.Effect<void> | undefined
    let due = false
    const step = () => {
      due = false
      if (full !== undefined) return
      full = this.hash(attachment)
      if (full !== undefined || this.settle !== undefined) this.work.openUnsafe()
    }
    const subscribe = Effect.map(Scheduler.Scheduler, (scheduler) => {
      const dispatcher = scheduler.makeDispatcher()
      return process.subscribe(() => {
        if (due) return
        due = true
        dispatcher.scheduleTask(step, 0)
      })
    })
    const hashing = Effect.gen({ self: this }, function* () {
      for (;;) {
        step()
        if (full === undefined && this.settle !== undefined) return yield* this.digests
        yield* this.work.await
        this.work.closeUnsafe()
        if (full !== undefined) yield* full
        full = undefined
      }
    })
    const release = Effect.sync(() => {
      attachment.detach()
      for (const { hash } of this.streams.values()) hash.drop()
    })
    return Effect.acquireUseRelease(
      subscribe,
      () => hashing,
      (unsubscribe) => Effect.andThen(Effect.sync(unsubscribe), release),
    ).pipe(Effect.tap(() => Effect.sync(() => this.settle?.())))
  }

  /** Hashes everything that is there; if there is no room for it all, returns what to wait for. */
  private hash(attachment: Attachment): Effect.Effect<void> | undefined {
    for (let event = attachment.next(); event !== undefined; event = attachment.next()) {
      if (event.kind === "output") {
        const stream = this.of(event)
        if (!stream.hash.update(event.bytes)) return stream.hash.room
        stream.hashed += event.bytes.length
        stream.chunks += 1
        stream.firstSeq ??= event.seq
        stream.lastSeq = event.seq
      }
      attachment.advance(event.seq)
    }
    return undefined
  }

  private readonly digests: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const entries: Array<readonly [Spawner.OutputStream, StreamReceipt]> = []
    for (const [name, stream] of this.streams) {
      const digest = yield* Effect.timeoutOption(stream.hash.digest, digestMillis)
      entries.push([name, toReceipt(stream, digest._tag === "Some" ? digest.value : undefined)])
    }
    const { startedAtMs, end } = this
    if (end !== undefined) this.receipt = { ...end, startedAtMs, streams: Object.fromEntries(entries) }
  })

  private of({ stream }: Pick<Chunk, "stream">): Stream {
    const known = this.streams.get(stream)
    if (known === undefined) throw new Error(`the process has no stream ${stream}`)
    return known
  }
}

const emptyStream = (hasher: HasherService, bytes = 0): Stream => ({
  bytes,
  hashed: 0,
  chunks: 0,
  firstSeq: undefined,
  lastSeq: undefined,
  unreadBytes: 0,
  hash: hasher.sha256(),
})

/** The hash is of what went through the log: if that is less than the child has written, there is none of the whole. */
const toReceipt = (
  { bytes, hashed, chunks, firstSeq, lastSeq, unreadBytes }: Stream,
  sha256: string | undefined,
): StreamReceipt => ({
  bytes,
  ...(sha256 === undefined || hashed !== bytes ? {} : { sha256 }),
  chunks,
  ...(firstSeq === undefined ? {} : { firstSeq }),
  ...(lastSeq === undefined ? {} : { lastSeq }),
  unreadBytes,
})
