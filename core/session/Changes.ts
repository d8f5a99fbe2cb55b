/**
 * The latest changes of the processes of all sessions, for those who follow them. They are numbered, so a slow
 * reader knows that some are gone.
 *
 * Nothing is kept before the first reader. Looking and subscribing are one synchronous step, so that no change is
 * missed between them.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Entry } from "../process/ProcessTable.ts"
import type { ChangeKind, ChangesResult, ProcessChange } from "../protocol/List.ts"
import { firstThat } from "../protocol/Sorted.ts"
import { longestTimerMillis } from "../protocol/Timer.ts"
import * as Listing from "./Listing.ts"

/** The most changes that are kept. */
export const mostKept = 1000

/** The most characters of arguments, names and labels in those that are kept, beyond the last one. */
export const mostCharacters = 1024 * 1024

/** The most changes of one answer. */
export const mostTold = 250

/** The changes of one server. */
export class Changes {
  private readonly clock: Clock.Clock
  private readonly kept: Array<ProcessChange> = []
  private readonly readers = new Set<(change: ProcessChange) => void>()
  private characters = 0
  private last = 0
  private isRead = false

  /** The clock tells when a change was. */
  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Notes a change of a process of that session. */
  add(kind: ChangeKind, open: Listing.OpenSession, entry: Entry): void {
    if (!this.isRead) return
    const row = Listing.rowOf(open.session.number, open.detachment === undefined, entry)
    const change = { seq: (this.last += 1), kind, atMs: this.clock.currentTimeMillisUnsafe(), process: row }
    this.kept.push(change)
    this.characters += Listing.weightOf(row)
    while (this.kept.length > mostKept || (this.kept.length > 1 && this.characters > mostCharacters)) {
      const oldest = this.kept.shift()
      if (oldest !== undefined) this.characters -= Listing.weightOf(oldest.process)
    }
    for (const reader of this.readers) reader(change)
  }

  /**
   * The changes above `afterSeq` that are `wanted`, at once if there are any, else as soon as there are or when so many
   * milliseconds have passed. Without `afterSeq` none, at once.
   */
  read(
    afterSeq: number | undefined,
    wanted: (change: ProcessChange) => boolean,
    waitMillis: number,
  ): Effect.Effect<ChangesResult> {
    return Effect.suspend(() => {
      this.isRead = true
      const found = this.after(afterSeq ?? this.last, wanted)
      if (afterSeq === undefined || found.missed === true || found.changes.length > 0 || waitMillis === 0)
        return Effect.succeed(found)
      const news = Deferred.makeUnsafe<void>()
      const reader = (change: ProcessChange) => {
        if (!wanted(change)) return
        this.readers.delete(reader)
        Deferred.doneUnsafe(news, Effect.void)
      }
      this.readers.add(reader)
      return Deferred.await(news).pipe(
        Effect.timeoutOption(Math.min(waitMillis, longestTimerMillis)),
        Effect.map(() => this.after(found.nextSeq - 1, wanted)),
        Effect.ensuring(Effect.sync(() => this.readers.delete(reader))),
      )
    })
  }

  private after(seq: number, wanted: (change: ProcessChange) => boolean): ChangesResult {
    const { kept, last } = this
    const oldest = kept[0]?.seq ?? last + 1
    if (seq > last || seq + 1 < oldest) return { changes: [], nextSeq: last + 1, missed: true }
    const changes: Array<ProcessChange> = []
    let characters = 0
    for (let at = firstThat(kept, (change) => change.seq > seq); at < kept.length; at++) {
      const change = kept[at]
      if (change === undefined || !wanted(change)) continue
      if (changes.length >= mostTold || characters >= Listing.mostCharacters)
        return { changes, nextSeq: change.seq }
      changes.push(change)
      characters += Listing.weightOf(change.process)
    }
    return { changes, nextSeq: last + 1 }
  }
}
