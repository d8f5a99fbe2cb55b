/**
 * One direction of a connection: bytes in segments of any size, in order, each after a delay, behind a window.
 *
 * Bytes beyond the window wait at the sender, which notices when that is too much. The receiver may stop
 * reading. The pipe can freeze for a while, swallow everything (a peer that is gone without a word), or be cut between
 * any two bytes.
 */
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

export interface Terms {
  /** Milliseconds that a segment takes. */
  readonly delay: readonly [least: number, most: number]
  /** Bytes that may be under way. */
  readonly window: number
  /** The largest segment, in bytes. */
  readonly segment: number
  /** Bytes that may wait at the sender before it has to stop. */
  readonly highWater: number
}

export interface Receiver {
  /** Takes a segment; false if no more is to come until `read`. */
  readonly data: (bytes: Uint8Array) => boolean
  readonly end: () => void
}

/** Milliseconds that the last of what has waited is under way. */
const lately = 1000

type Segment = Uint8Array | "end"

export class Pipe {
  /** Bytes that wait at the sender. */
  queued = 0
  /** Called when less waits than the high-water mark again. */
  drained = () => {}
  /** Called once everything is sent. */
  flushed = () => {}
  private readonly world: World
  private readonly seed: Seed
  private readonly terms: Terms
  private readonly receiver: Receiver
  private readonly queue: Array<Segment> = []
  private readonly flight: Array<Segment> = []
  private readonly unread: Array<Segment> = []
  private underWay = 0
  private arrival = 0
  private frozen = 0
  private paused = false
  private pausedAt = 0
  /** When more than fits into the window has last waited, at a receiver that took all that came. */
  private crowd = { since: 0, until: -Infinity }
  private stalled = false
  private swallows = false
  private over = false
  private cutAfter = Infinity
  private atCut = () => {}

  constructor(world: World, seed: Seed, terms: Terms, receiver: Receiver) {
    this.world = world
    this.seed = seed
    this.terms = terms
    this.receiver = receiver
  }

  /** True from a write after which too much waits, until that has changed. */
  get isFull(): boolean {
    return this.stalled
  }

  /**
   * Since when more waits than the pipe can carry, although its receiver takes all that comes; undefined if that is not
   * so, and was not so lately.
   */
  get crowdedSince(): number | undefined {
    const { since, until } = this.crowd
    return this.world.now - until <= lately ? since : undefined
  }

  /** Queues bytes; false while too much waits. */
  write(bytes: Uint8Array): boolean {
    if (this.over) return true
    this.queue.push(bytes)
    this.queued += bytes.length
    this.pump()
    if (this.queued >= this.terms.highWater) this.stalled = true
    return !this.stalled
  }

  finish(): void {
    this.queue.push("end")
    this.pump()
  }

  read(): void {
    if (this.paused && this.world.now > this.pausedAt) this.crowd.since = this.world.now
    this.paused = false
    while (!this.paused && this.unread.length > 0) this.deliver(this.unread.shift()!)
  }

  /** Nothing arrives until then. */
  freeze(until: number): void {
    this.frozen = Math.max(this.frozen, until)
  }

  /** Everything under way is lost from now on, and so is what is written: the sender does not notice. */
  swallow(): void {
    this.swallows = true
  }

  /** Calls `cut` when so many bytes more have arrived, in the middle of a segment. */
  breakAfter(bytes: number, cut: () => void): void {
    this.cutAfter = bytes
    this.atCut = cut
  }

  stop(): void {
    if (this.over) return
    this.over = true
    this.queue.length = this.flight.length = this.unread.length = 0
    this.queued = this.underWay = 0
    this.flushed()
    this.relieve()
  }

  private pump(): void {
    while (!this.over && this.queue.length > 0 && this.underWay < this.terms.window) {
      const head = this.queue[0]!
      let segment = head
      if (head !== "end") {
        const size = Math.min(
          head.length,
          this.seed.between(1, this.terms.segment),
          this.terms.window - this.underWay,
        )
        segment = head.subarray(0, size)
        if (size < head.length) this.queue[0] = head.subarray(size)
        else this.queue.shift()
        this.queued -= size
        this.underWay += size
      } else this.queue.shift()
      this.flight.push(segment)
      const [least, most] = this.terms.delay
      this.arrival = Math.max(this.arrival, this.world.now + this.seed.between(least, most))
      this.world.after(this.arrival - this.world.now, this.arrive)
    }
    this.look()
    this.relieve()
  }

  private look(): void {
    const { crowd, world } = this
    if (this.queue.length > 0 && crowd.until !== Infinity) this.crowd = { since: world.now, until: Infinity }
    else if (this.queue.length === 0 && crowd.until === Infinity) crowd.until = world.now
  }

  private relieve(): void {
    if (!this.stalled || this.queued >= this.terms.highWater) return
    this.stalled = false
    this.drained()
  }

  private readonly arrive = (): void => {
    if (this.over || this.swallows) return
    if (this.frozen > this.world.now) {
      this.world.after(this.frozen - this.world.now, this.arrive)
      return
    }
    const segment = this.flight.shift()
    if (segment === undefined) return
    if (this.paused || this.unread.length > 0) this.unread.push(segment)
    else this.deliver(segment)
  }

  private deliver(segment: Segment): void {
    if (segment === "end") {
      this.receiver.end()
      this.flushed()
      return
    }
    const breaks = segment.length > this.cutAfter
    this.underWay -= segment.length
    this.paused = !this.receiver.data(breaks ? segment.subarray(0, this.cutAfter) : segment)
    this.pausedAt = this.world.now
    if (breaks) return this.atCut()
    this.cutAfter -= segment.length
    this.pump()
  }
}
