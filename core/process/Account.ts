/**
 * What the receipt of one process is made of, for a process whose start has asked for one; no other process has this.
 *
 * Bytes are counted where the spawner reports them. The hashes are a cursor on the log, in a fiber of its own: it takes
 * what is there whenever the code that has appended is done, and lags no further than any reader.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import type { Hash, HasherService } from "../protocol/Hasher.ts"
import type { Receipt, StreamReceipt } from "../protocol/Receipt.ts"
import type * as Spawner from "../spawn/Spawner.ts"
import type { Chunk } from "./Chunk.ts"
import type { Metrics } from "./Metrics.ts"
import type { OutputLog } from "./OutputLog.ts"
import type { Attachment } from "./Attachment.ts"
import type { Cause } from "./Cause.ts"

/** How long the hashes of an ended process may take, in milliseconds: then the receipt goes without them. */
export const digestMillis = 5000

/** What accounts use of their server. */
export interface Services {
  /** Hashes the streams. */
  readonly hasher: HasherService
  /** Tells when the process starts and ends. */
  readonly clock: Clock.Clock
}

/** The part of a process that is used here. */
export interface Subject {
  /** Its callbacks for the spawner. */
  readonly events: Spawner.SpawnEvents
  /** A client has asked for the kill. */
  readonly terminated: boolean
  /** What else has a hand in its end. */
  readonly cause: Cause
  /** Calls `listener` after every change. */
  readonly subscribe: (listener: () => void) => () => void
}

interface Stream {
  bytes: number
  hashed: number
  chunks: number
  firstSeq: number | undefined
  lastSeq: number | undefined
  unreadBytes: number
  readonly hash: Hash
}

/** The account of one process. */
export class Account {
  /** Set once the process has ended and everything is hashed. */
  receipt: Receipt | undefined

  private readonly services: Services
  private readonly startedAtMs: number
  private readonly streams: ReadonlyMap<Spawner.OutputStream, Stream>
  private end: (Pick<Receipt, "endedBy" | "endedAtMs"> & Partial<Receipt>) | undefined
  /** The greatest seq that a client has got. */
  private taken = 0
  private readonly work = Effect.unsafeMakeLatch(false)
  private settle: (() => void) | undefined

  /** The account of a process that starts now and writes these streams. */
  constructor(services: Services, streams: ReadonlyArray<Spawner.OutputStream>) {
    this.services = services
    this.startedAtMs = services.clock.unsafeCurrentTimeMillis()
    this.streams = new Map(streams.map((stream) => [stream, emptyStream(services.hasher)]))
  }

  /** Counts what the spawner reports of `process`. */
  around(process: Subject): Spawner.SpawnEvents {
    const { events } = process
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
          endedAtMs: this.services.clock.unsafeCurrentTimeMillis(),
        }
        events.exit(status, ending)
      },
    }
  }

  /** Metrics for the log of the process: of what it evicts, this takes down what no client had got. */
  evictions(metrics: Metrics, log: () => OutputLog): Metrics {
    const { evictedBytes } = metrics
    const update = (bytes: number) => {
      evictedBytes.update(bytes)
      // A log reports what it is about to evict: its oldest chunk.
      const oldest = log().after(0)
      if (oldest !== undefined && oldest.seq > this.taken) this.of(oldest).unreadBytes += bytes
    }
    return { ...metrics, evictedBytes: { ...evictedBytes, update } }
  }

  /** An attachment of a client: what it has delivered is not unread. */
  watched(attachment: Attachment): Attachment {
    return {
      ...attachment,
      advance: (seq) => {
        this.read(seq)
        attachment.advance(seq)
      },
    }
  }

  /** A client has got everything up to and including `seq`. */
  read(seq: number): void {
    this.taken = Math.max(this.taken, seq)
  }

  /** The process has ended and all its output is in the log. Calls `settle` when there is a receipt. */
  close(settle: () => void): void {
    this.settle = settle
    this.work.unsafeOpen()
  }

  /**
   * Hashes what `process` writes, through `attachment`, until there is a receipt. That is a plain function, run by the
   * scheduler of the fibers once the code that has appended is done; the effect waits for room, and for the end.
   */
  run(process: Subject, attachment: Attachment): Effect.Effect<void> {
    let full: Effect.Effect<void> | undefined
    let due = false
    const step = () => {
      due = false
      if (full !== undefined) return
      full = this.hash(attachment)
      if (full !== undefined || this.settle !== undefined) this.work.unsafeOpen()
    }
    const subscribe = Effect.map(FiberRef.get(FiberRef.currentScheduler), (scheduler) =>
      process.subscribe(() => {
        if (due) return
        due = true
        scheduler.scheduleTask(step, 0)
      }),
    )
    const hashing = Effect.gen(this, function* () {
      for (;;) {
        step()
        if (full === undefined && this.settle !== undefined) return yield* this.digests
        yield* this.work.await
        this.work.unsafeClose()
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
      (unsubscribe) => Effect.zipRight(Effect.sync(unsubscribe), release),
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

  private readonly digests: Effect.Effect<void> = Effect.gen(this, function* () {
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

const emptyStream = (hasher: HasherService): Stream => ({
  bytes: 0,
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
