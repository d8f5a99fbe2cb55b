/**
 * Puts the events of one process in the order of their seq.
 *
 * A server may send events out of order, twice, or (after a lost connection) not at all. They are published strictly
 * one seq after the other. Early events are held, up to a limit: the server still has the rest. Events that were
 * published before are dropped. A missing seq is filled in from `process/read`, or is known to be lost. Plain
 * functions: every chunk of output passes through here.
 */
import type { ReadResult } from "../protocol/Process.ts"
import type { Exited, Sequenced } from "./ProcessEvent.ts"

/** How many early events are held: 256, or 1 MiB of output. Later ones are read from the server again. */
export const maxEarly = { events: 256, bytes: 1024 * 1024 }

/** A range of events that the server no longer retains, and (`through`) the last seq that it has assigned. */
export interface LostRange {
  readonly from: number
  readonly to: number
  readonly through: number
}

export class ReorderBuffer {
  /** The last seq published. */
  last: number
  /** The exit, once it is published. */
  exited: Exited | undefined
  /** True once `closed` is published: nothing follows. */
  closed = false

  private readonly publish: (event: Sequenced) => void
  private readonly early = new Map<number, Sequenced>()
  private earlyBytes = 0
  /** The greatest seq seen. */
  private seen: number

  /** Publishes the events after seq `after`. */
  constructor(after: number, publish: (event: Sequenced) => void) {
    this.last = after
    this.seen = after
    this.publish = publish
  }

  /** True while a later event is known than the last one published. */
  get gap(): boolean {
    return !this.closed && this.seen > this.last
  }

  /** The early events that are held, and their bytes. */
  get held(): { readonly events: number; readonly bytes: number } {
    return { events: this.early.size, bytes: this.earlyBytes }
  }

  /** True if no more early events can be held. */
  get full(): boolean {
    return this.early.size >= maxEarly.events || this.earlyBytes >= maxEarly.bytes
  }

  accept(event: Sequenced): void {
    if (this.closed || event.seq <= this.last) return
    if (event.seq > this.seen) this.seen = event.seq
    if (firstOf(event) <= this.last + 1) {
      this.deliver(event)
      if (this.early.size > 0) this.drain()
    } else if (!this.full) this.hold(event)
  }

  /**
   * Fills in the result of a `process/read` after `last`. If events are lost, publishes those in front of them, and
   * returns which are lost.
   */
  splice(state: ReadResult): LostRange | undefined {
    const through = state.nextSeq - 1
    if (this.closed || through <= this.last) return undefined
    for (const { seq, stream, chunk } of state.chunks) {
      if (seq > this.last) this.hold({ kind: "output", seq, stream, bytes: chunk })
    }
    for (const { kind, ...mark } of state.marks ?? []) {
      if (mark.seq > this.last) this.hold({ kind: "mark", mark: kind, ...mark })
    }
    const receipt = state.receipt === undefined ? {} : { receipt: state.receipt }
    if (state.closed) this.hold({ kind: "closed", seq: through, ...receipt })
    const lost = this.fillExit(state, through)
    if (lost !== undefined) return lost
    this.seen = Math.max(this.seen, through)
    this.drain()
    return undefined
  }

  /**
   * A read does not tell the seq of the exit: it is the one seq that no chunk has. If more than that one is missing,
   * events are lost: at the old end of what the server has, or behind the end of a history.
   */
  private fillExit(state: ReadResult, through: number): LostRange | undefined {
    let present = 0
    let exit = this.exited !== undefined || !state.exited
    for (const [seq, event] of this.early) {
      if (event.kind === "exited") exit = true
      if (seq <= through) present += 1
    }
    const missing = through - this.last - present
    if (missing > (exit ? 0 : 1)) {
      this.drain()
      let next = through + 1
      for (const seq of this.early.keys()) next = Math.min(next, seq)
      return { from: this.last + 1, to: Math.max(this.last + 1, next - 1), through }
    }
    if (missing === 1) {
      let seq = this.last + 1
      while (this.early.has(seq)) seq += 1
      const { exitCode, sandboxDenied, limit, oomKilled, endedBy, signal } = state
      const over = { ...(limit && { limit }), ...(oomKilled && { oomKilled }) }
      const ending = { ...(endedBy && { endedBy }), ...(signal && { signal }) }
      this.hold({ kind: "exited", seq, exitCode: exitCode ?? -1, sandboxDenied, ...over, ...ending })
    }
    return undefined
  }

  private hold(event: Sequenced): void {
    if (this.early.has(firstOf(event))) return
    this.early.set(firstOf(event), event)
    if (event.kind === "output") this.earlyBytes += event.bytes.length
  }

  private drain(): void {
    for (;;) {
      const event = this.early.get(this.last + 1)
      if (event === undefined) return
      this.early.delete(firstOf(event))
      if (event.kind === "output") this.earlyBytes -= event.bytes.length
      this.deliver(event)
    }
  }

  private deliver(event: Sequenced): void {
    this.last = event.seq
    if (event.kind === "exited") this.exited = event
    if (event.kind === "closed") {
      this.closed = true
      this.early.clear()
    }
    this.publish(event)
  }
}

/** The first seq of an event: a gap has several. */
const firstOf = (event: Sequenced): number => (event.kind === "gap" ? event.from : event.seq)
