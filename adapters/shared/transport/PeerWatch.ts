/**
 * Tells whether the peer of a connection is still there, by the pings that it answers.
 *
 * A peer that does not read cannot answer, so time counts against it only while the system has taken everything that
 * is to be sent, and this side reads. Bytes that the system has taken may wait in buffers between the two: a slow peer
 * is given the time to read what was sent before the ping. So a peer that reads at least 16 KiB/s, or that keeps this
 * side from sending, is never taken for gone; whether that one is gone only the system can tell.
 */

/** Bytes per second that a peer reads at least. */
const slowest = 16 * 1024

/** Bytes that all buffers on the way may hold: 16 MiB. */
const mostOnTheWay = 16 * 1024 * 1024

/** Pings without an answer after which no further one is sent. */
const mostPings = 8

/** The pause between looks and pings, in milliseconds. */
export const periodOf = (timeoutMillis: number): number =>
  timeoutMillis === 0 ? 30_000 : Math.max(1, Math.min(30_000, Math.floor(timeoutMillis / 3)))

export interface Sight {
  /** The time, in milliseconds. */
  readonly now: number
  /** Bytes that were ever given to be sent. */
  readonly written: number
  /** Those of them that the system has not taken. */
  readonly queued: number
  /** True while this side does not read. */
  readonly paused: boolean
}

/** The watch over one connection. With a timeout of 0 it only pings. */
export class PeerWatch {
  private readonly timeoutMillis: number
  private quietSince: number
  private isHeard = false
  /** The bytes that had been written up to each ping that has no answer yet. */
  private readonly pings: Array<number> = []
  /** Bytes that the peer has read, as far as its answers say. */
  private read = 0

  constructor(timeoutMillis: number, now: number) {
    this.timeoutMillis = timeoutMillis
    this.quietSince = now
  }

  heard(): void {
    this.isHeard = true
  }

  /** An answer to the oldest ping came, or a pong that answers no ping. */
  answered(): void {
    this.read = this.pings.shift() ?? this.read
  }

  /** The next step; `ping` counts as done. */
  look({ now, written, queued, paused }: Sight): "ping" | "wait" | "gone" {
    if (this.isHeard || paused || queued > 0) this.quietSince = now
    this.isHeard = false
    const [oldest] = this.pings
    if (oldest !== undefined && this.timeoutMillis > 0) {
      const ahead = Math.min(Math.max(0, oldest - this.read), mostOnTheWay)
      const patience = this.timeoutMillis + Math.floor(ahead / slowest) * 1000
      if (now - this.quietSince >= patience) return "gone"
    }
    if (this.pings.length === mostPings) return "wait"
    this.pings.push(written)
    return "ping"
  }
}
