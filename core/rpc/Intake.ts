/**
 * Back-pressure towards the peer: whether more of its messages are taken. They are not while the connection is held,
 * while the peer reads too few of its answers, or while too many of its requests wait.
 */
import * as Effect from "effect/Effect"

/** UTF-16 units of answers that may wait for a peer which does not read: 8 Mi. */
const mostOwed = 8 * 1024 * 1024

/** The state of one connection. */
export class Intake {
  private readonly crowded: () => boolean
  private readonly latch = Effect.unsafeMakeLatch(true)
  private held = false
  private owed = 0
  private isOpen = true

  /** `crowded` says whether too many requests wait. */
  constructor(crowded: () => boolean) {
    this.crowded = crowded
  }

  /** True while messages are taken. */
  get open(): boolean {
    return this.isOpen
  }

  /** Waits until the intake is open. */
  get opened(): Effect.Effect<void> {
    return this.latch.await
  }

  /** True while the peer has to read before it gets more answers. */
  get owing(): boolean {
    return this.owed > mostOwed
  }

  /** An answer of that size was queued for a peer that does not keep up. */
  owe(size: number): void {
    this.owed += size
    this.update()
  }

  /** The peer has read its answers. To be followed by `update`. */
  settle(): void {
    this.owed = 0
  }

  /** Closes the intake while held. */
  hold(held: boolean): void {
    this.held = held
    this.update()
  }

  /** Opens or closes the intake after a change. */
  update(): void {
    this.isOpen = !this.held && !this.owing && !this.crowded()
    if (this.isOpen) this.latch.unsafeOpen()
    else this.latch.unsafeClose()
  }
}
