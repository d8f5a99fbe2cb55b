/**
 * A FIFO with room for a number of items. A producer that finds it full waits; waiting producers are admitted in the
 * order in which they came.
 *
 * Places are given out at the call, by plain functions: only the waiting is an effect.
 */
import * as Effect from "effect/Effect"

/** A bounded FIFO of values other than undefined. */
export class BoundedQueue<A> {
  private readonly capacity: number
  private readonly items: Array<A> = []
  /** Producers that wait for room, in order. */
  private readonly waiting = new Set<() => void>()
  private open = true

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** The number of its items. */
  get size(): number {
    return this.items.length
  }

  /** True after `close`. */
  get closed(): boolean {
    return !this.open
  }

  /** Adds an item, if the queue is open. Only called by `accept` of `whenRoom`. */
  push(item: A): void {
    if (this.open) this.items.push(item)
  }

  /** Takes the oldest item and admits the producers that there is room for now. */
  shift(): A | undefined {
    const item = this.items.shift()
    this.admit()
    return item
  }

  /**
   * Calls `accept` as soon as there is room, at once if no caller is ahead; the effect completes when that is done. A
   * caller that is interrupted before gives its place up, and `abandon` is called instead.
   */
  whenRoom(accept: () => void, abandon: () => void = () => {}): Effect.Effect<void> {
    if (!this.open || (this.items.length < this.capacity && this.waiting.size === 0)) {
      accept()
      return Effect.void
    }
    let admitted = () => {}
    const next = () => {
      accept()
      admitted()
    }
    this.waiting.add(next)
    return Effect.callback<void>((resume) => {
      if (!this.waiting.has(next)) return resume(Effect.void)
      admitted = () => resume(Effect.yieldNow)
      return Effect.sync(() => {
        if (this.waiting.delete(next)) abandon()
      })
    })
  }

  /** Drops every item. Waiting producers are admitted, and so is everybody after them; nothing of theirs is kept. */
  close(): void {
    this.open = false
    this.items.length = 0
    this.admit()
  }

  private admit(): void {
    for (const next of this.waiting) {
      if (this.open && this.items.length >= this.capacity) return
      this.waiting.delete(next)
      next()
    }
  }
}
