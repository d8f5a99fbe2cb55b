/**
 * Watches a reorder buffer for gaps: a seq that is still missing after `gapMillis`, or after which more events
 * have arrived than the buffer holds, is recovered.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ReorderBuffer } from "./ReorderBuffer.ts"

/** How long a missing seq is waited for before it is fetched, in milliseconds. */
export const gapMillis = 100

/**
 * Returns a function to call when the buffer has a gap: it starts the watch if none runs. The watch ends with the
 * gap, or when `abandoned` says that the events are no longer wanted.
 */
export const make = (
  buffer: ReorderBuffer,
  fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<unknown, unknown>,
  recover: Effect.Effect<void>,
  abandoned: () => boolean,
): (() => void) => {
  const full = Effect.unsafeMakeLatch(false)
  let running = false

  const watch = Effect.gen(function* () {
    while (buffer.gap && !abandoned()) {
      const { last } = buffer
      yield* Effect.raceFirst(Effect.sleep(gapMillis), full.await)
      full.unsafeClose()
      if (buffer.gap && buffer.last === last) yield* recover
    }
  }).pipe(Effect.ensuring(Effect.sync(() => (running = false))))

  return () => {
    if (buffer.full) full.unsafeOpen()
    if (running) return
    running = true
    fork(watch)
  }
}
