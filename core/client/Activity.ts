/**
 * The activity of a client: it is busy if a call is pending, a stream's next part is awaited, or a process is followed.
 *
 * A program stays alive while its client is busy, and may end while the client is idle. This module only counts;
 * the runtime does the rest.
 */
import * as Effect from "effect/Effect"

/** The work of a client that keeps its program alive. */
export interface Activity {
  /** Something begins, which `end` ends. */
  readonly begin: () => void
  /** It has ended; once for each `begin`. */
  readonly end: () => void
  /** The client is busy while the effect runs. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Calls `turn` with true when the first thing begins while there is none, and with false when the last has ended. */
export const make = (turn: (busy: boolean) => void = () => {}): Activity => {
  let running = 0
  const begin = () => {
    running += 1
    if (running === 1) turn(true)
  }
  const end = () => {
    running -= 1
    if (running === 0) turn(false)
  }
  return {
    begin,
    end,
    during: (effect) =>
      Effect.suspend(() => {
        begin()
        return Effect.ensuring(effect, Effect.sync(end))
      }),
  }
}
