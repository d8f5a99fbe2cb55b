/**
 * Chunks, capacities and cursors: the types below `OutputLog` and `Ring`.
 */
import type { Event } from "../protocol/dialect/Dialect.ts"

/** The largest chunk that a log makes, in bytes: 64 KiB, the size of one read. */
export const maxChunkBytes = 64 * 1024

/** One piece of output, as its event. `bytes` may be a view of the log, which is valid until the next `append`. */
export type Chunk = Extract<Event, { readonly kind: "output" }>

/** The most output that a log retains. */
export interface Capacity {
  /** Bytes of output. */
  readonly bytes: number
  /** Chunks, of whatever size. */
  readonly chunks: number
}

/**
 * Most that is kept for cursors above the capacity, for a child that cannot be paused: 16 MiB and 800,000 chunks.
 * A cursor that lags further loses the oldest output.
 */
export const mostPinned: Capacity = { bytes: 16 * 1024 * 1024, chunks: 800_000 }

/** The position of a reader that must not miss anything: chunks above it are not evicted while it is attached. */
export interface Cursor {
  /** The last seq that was delivered. */
  readonly seq: () => number
  /** Marks everything up to and including `seq` as delivered. */
  readonly advance: (seq: number) => void
  /** Bytes that wait to be delivered. */
  readonly lag: () => number
  /** Lets the chunks above it be evicted. Idempotent. */
  readonly detach: () => void
}
