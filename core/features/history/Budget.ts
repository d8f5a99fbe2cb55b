/**
 * The size of the files of all histories of a server together. Above it the oldest segments are removed, of any
 * process.
 */

import * as Effect from "effect/Effect"
import type { HistoryError } from "./HistoryFiles.ts"

/** A segment, as far as this module knows it. */
export interface Kept {
  /** Bytes of its files. */
  readonly size: number
}

/** The history of a segment, as far as this module knows it. */
export interface Owner {
  /** Takes the segment out of its history, with its files: for want of room on the disk, if `full` says so. */
  readonly drop: (full?: HistoryError) => Effect.Effect<void>
  /** True while its files are being written: their bytes would not be free before their writer closes them. */
  readonly isOpen: () => boolean
}

/** The account of one server. */
export class Budget {
  /** True once the disk was full. */
  isShort = false
  private readonly limit: number
  private readonly kept = new Map<Kept, Owner & { size: number }>()
  private sum = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get total(): number {
    return this.sum
  }

  /** The most that one history can have. */
  get most(): number {
    return this.limit
  }

  add(segment: Kept, owner: Owner): void {
    this.kept.set(segment, { size: 0, ...owner })
  }

  /** Drops the oldest segment that has no writer, to make room on a full disk; false if there is none. */
  shed(full: HistoryError): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      for (const [oldest, { drop, isOpen }] of this.kept) {
        if (isOpen()) continue
        this.leave(oldest)
        return Effect.as(drop(full), true)
      }
      return Effect.succeed(false)
    })
  }

  /** The disk is full: the log has a line of it, once for a server. */
  tell({ message }: HistoryError): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.isShort) return Effect.void
      this.isShort = true
      return Effect.logWarning(
        `the disk for histories is full: ${message}; they are incomplete, the oldest output goes first. Said once`,
      )
    })
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
        dropping.push(drop())
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
