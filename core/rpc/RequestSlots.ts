/** The slots in which slotted requests run, and the queue of those that wait for one. First come, first served. */
import type * as Message from "../protocol/Message.ts"

/** Requests that may wait before nothing more is taken from the peer. */
const mostWaiting = 1024

/** Size of their texts, in UTF-16 units, with the same effect: 8 Mi. */
const mostWaitingSize = 8 * 1024 * 1024

/** The slots of one connection. */
export class RequestSlots {
  private readonly slots: number
  private readonly waiting: Array<{ readonly request: Message.Request; readonly size: number }> = []
  private waitingSize = 0
  private taken = 0

  constructor(slots: number) {
    this.slots = slots
  }

  /** Queues a request whose text has that many UTF-16 units. */
  add(request: Message.Request, size: number): void {
    this.waiting.push({ request, size })
    this.waitingSize += size
  }

  /** The next request, which takes a slot; undefined while none waits or no slot is free. */
  next(): Message.Request | undefined {
    const next = this.taken < this.slots ? this.waiting.shift() : undefined
    if (next === undefined) return undefined
    this.waitingSize -= next.size
    this.taken += 1
    return next.request
  }

  /** Drops the requests that wait and for which `is` is true; returns how many there were. */
  drop(is: (request: Message.Request) => boolean): number {
    const kept = this.waiting.filter(({ request }) => !is(request))
    const dropped = this.waiting.length - kept.length
    if (dropped > 0) {
      this.waiting.splice(0, Infinity, ...kept)
      this.waitingSize = kept.reduce((sum, { size }) => sum + size, 0)
    }
    return dropped
  }

  /** A request that had a slot is done. */
  release(): void {
    this.taken -= 1
  }

  /** True while so much waits that no more should be taken from the peer. */
  get crowded(): boolean {
    return this.waiting.length > mostWaiting || this.waitingSize > mostWaitingSize
  }

  /** Drops the requests that wait, and returns them. */
  clear(): ReadonlyArray<Message.Request> {
    this.waitingSize = 0
    return this.waiting.splice(0).map(({ request }) => request)
  }
}
