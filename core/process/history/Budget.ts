/**
 * What the files of all histories of a server may take together. Above that the oldest segments are removed, of
 * whatever process.
 */

import * as Effect from "effect/Effect"

/** A segment, as far as this module knows it. */
export interface Kept {
  /** Bytes of its files. */
  readonly size: number
}

/** The account of one server. */
export class Budget {
  private readonly limit: number
  private readonly kept = new Map<Kept, { size: number; readonly drop: Effect.Effect<void> }>()
  private sum = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Bytes of all segments. */
  get total(): number {
    return this.sum
  }

  /** The most that one history can have. */
  get most(): number {
    return this.limit
  }

  /** A segment begins. `drop` takes it out of its history, with its files. */
  add(segment: Kept, drop: Effect.Effect<void>): void {
    this.kept.set(segment, { size: 0, drop })
  }

  /** A segment has grown: drops the oldest ones while there is too much, perhaps itself. */
  grown(segment: Kept): Effect.Effect<void> {
    return Effect.suspend(() => {
      const known = this.kept.get(segment)
      if (known === undefined) return Effect.void
      this.sum += segment.size - known.size
      known.size = segment.size
      if (this.sum <= this.limit) return Effect.void
      const dropping: Array<Effect.Effect<void>> = []
      for (const [oldest, { drop }] of this.kept) {
        if (this.sum <= this.limit) break
        this.leave(oldest)
        dropping.push(drop)
      }
      return Effect.all(dropping, { discard: true })
    })
  }

  /** A segment is removed. Idempotent. */
  leave(segment: Kept): void {
    this.sum -= this.kept.get(segment)?.size ?? 0
    this.kept.delete(segment)
  }
}
