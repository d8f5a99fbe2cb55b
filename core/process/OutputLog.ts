/**
 * The only copy of a process's output, with the numbers that order it; nobody else knows where chunks lie.
 *
 * `append` gives out `seq`; exited and closed take theirs from the same counter through `take`. Whole chunks
 * leave at the old end while a limit is exceeded, but none that an attached cursor still has to deliver:
 * back-pressure, not eviction, bounds those. The same holds where all logs together have too much memory
 * and this one has to give some back.
 */
import { defaults } from "../protocol/Limits.ts"
import type { Event } from "../protocol/dialect/Dialect.ts"
import type { OutputStream } from "../spawn/Spawner.ts"
import * as Metrics from "./Metrics.ts"
import * as Retention from "./Retention.ts"
import { Ring } from "./Ring.ts"

export { maxChunkBytes } from "./Ring.ts"

/** How much a log retains. */
export interface Limits {
  readonly bytes: number
  readonly chunks: number
}

/** Limits as in the peer implementation, per process: 1 MiB and 50,000 chunks. */
export const defaultLimits: Limits = {
  bytes: defaults.retainedBytes,
  chunks: defaults.retainedChunks,
}

/** One piece of output, as the event that tells of it. `bytes` may be a view of the ring, valid until the next `append`. */
export type Chunk = Extract<Event, { readonly kind: "output" }>

/** The place of a reader that must miss nothing: what lies behind it is not evicted while it is attached. */
export interface Cursor {
  /** The last seq delivered. */
  readonly seq: () => number
  readonly advance: (seq: number) => void
  /** Bytes that wait to be delivered. */
  readonly lag: () => number
  readonly detach: () => void
}

export interface OutputLog {
  /** The seq that is given out next; the first is 1. */
  readonly nextSeq: () => number
  /** Copies output in, as one chunk for each `maxChunkBytes`. */
  readonly append: (stream: OutputStream, bytes: Uint8Array) => void
  /** Takes a seq for an event that is no output. */
  readonly take: () => number
  /** The oldest retained chunk with a seq above `seq`. */
  readonly after: (seq: number) => Chunk | undefined
  /** Attaches a reader that has everything up to and including `seq`. */
  readonly attach: (seq: number) => Cursor
  /** Nothing more will be appended: this log is among the first to give way to others. */
  readonly finish: () => void
  /** The process is forgotten: its memory is counted no longer. */
  readonly leave: () => void
  /** Bytes that were ever appended. */
  readonly written: () => number
  /** What is retained, and the bytes of memory reserved for it. */
  readonly size: () => { readonly bytes: number; readonly chunks: number; readonly reserved: number }
}

/** A log that shares the memory of `retention` with others; `metrics` count what it evicts. */
export const make = (
  limits: Limits = defaultLimits,
  retention: Retention.Retention = Retention.make(Infinity),
  metrics: Metrics.Metrics = Metrics.make(),
): OutputLog => new Ring(limits, retention, metrics)
