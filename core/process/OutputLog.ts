/**
 * The only copy of a process's output, with the sequence numbers that order it. No other module knows how chunks are
 * stored.
 *
 * `append` gives out `seq`; exited and closed take theirs from the same counter through `take`. While the capacity is
 * exceeded, or while all logs together take too much memory, the oldest chunks are evicted whole. A chunk that an
 * attached cursor has yet to deliver is not evicted: back-pressure bounds those.
 */
import { defaults } from "../protocol/Limits.ts"
import type { OutputStream } from "../spawn/Spawner.ts"
import type { Capacity, Chunk, Cursor } from "./Chunk.ts"
import * as Metrics from "./Metrics.ts"
import * as Retention from "./Retention.ts"
import { Ring } from "./Ring.ts"

export { maxChunkBytes, type Capacity, type Chunk, type Cursor } from "./Chunk.ts"

/** 1 MiB and 50,000 chunks, as in the peer implementation. */
export const defaultCapacity: Capacity = {
  bytes: defaults.retainedBytes,
  chunks: defaults.retainedChunks,
}

/** The output of one process. Its methods are plain functions. */
export interface OutputLog {
  /** The seq that will be given out next. The first is 1. */
  readonly nextSeq: () => number
  /** Copies output in, as chunks of at most `maxChunkBytes`. */
  readonly append: (stream: OutputStream, bytes: Uint8Array) => void
  /** Takes a seq for an event that is not output. */
  readonly take: () => number
  /** The next seq is `seq`, unless it is greater already. */
  readonly skip: (seq: number) => void
  /** The oldest retained chunk with a seq above `seq`. */
  readonly after: (seq: number) => Chunk | undefined
  /** Attaches a reader that has everything up to and including `seq`. */
  readonly attach: (seq: number) => Cursor
  /** Called before the oldest chunk is evicted, with its bytes. */
  evicting: ((bytes: number) => void) | undefined
  /** Nothing more will be appended: this log gives memory back before those that are open. */
  readonly finish: () => void
  /** The process is forgotten: the memory of this log no longer counts. */
  readonly leave: () => void
  /** Bytes that were ever appended. */
  readonly written: () => number
  /** Bytes that the reader which is furthest behind has yet to get; 0 without readers. */
  readonly unread: () => number
  /** True after `leave`. */
  readonly left: () => boolean
  /** Bytes and chunks that are retained, and the bytes of memory reserved for them. */
  readonly size: () => { readonly bytes: number; readonly chunks: number; readonly reserved: number }
}

/** A log whose memory counts in `retention`. Bytes that it evicts are counted in `metrics`. */
export const make = (
  capacity: Capacity = defaultCapacity,
  retention: Retention.Retention = Retention.make(Infinity),
  metrics: Metrics.Metrics = Metrics.make(),
): OutputLog => new Ring(capacity, retention, metrics)
