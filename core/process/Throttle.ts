/** Pauses the child of a process while one of its readers lags. Plain functions: it stands on the byte path. */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { ChildHandle } from "../spawn/Spawner.ts"
import type { Cursor } from "./Chunk.ts"
import type { Metrics } from "./Metrics.ts"

/** Bytes that an attached reader may lag behind before the child is paused: 256 KiB. */
export const pauseAbove = 256 * 1024

/** Bytes of lag below which a paused child goes on: 64 KiB. */
export const resumeBelow = 64 * 1024

/** The throttle of one process. */
export class Throttle {
  /** True while the child is paused. */
  paused = false
  /** The number of its pauses. */
  pauses = 0
  /** The cursors of its readers. */
  readonly cursors = new Set<Cursor>()
  private readonly reading = Latch.makeUnsafe(true)
  private readonly metrics: Metrics

  constructor(metrics: Metrics) {
    this.metrics = metrics
  }

  /** Waits until the child is not paused. */
  get open(): Effect.Effect<void> {
    return this.reading.await
  }

  /** Pauses the child or lets it go on, by the lag of its readers. With `ending` it is not paused, however they lag. */
  update(child: ChildHandle | undefined, ending: boolean): void {
    let lag = 0
    for (const cursor of this.cursors) lag = Math.max(lag, cursor.lag())
    const pause = lag > (this.paused ? resumeBelow : pauseAbove) && !ending
    if (pause === this.paused || child?.pause === undefined) return
    this.paused = pause
    if (pause) {
      this.pauses += 1
      this.metrics.stalls.value += 1
      this.reading.closeUnsafe()
      child.pause()
    } else {
      this.reading.openUnsafe()
      child.resume?.()
    }
  }
}
