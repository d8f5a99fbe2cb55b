/**
 * Runs an effect once for all who ask for it at the same time.
 *
 * Each new connection asks for what was missed, while the request of the last one is repeated on it: without this, a
 * connection that is cut again and again would carry more copies of the same output each time.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Fork } from "../protocol/Fork.ts"
import * as ClientFiber from "./ClientFiber.ts"
import type { ClientError } from "./ClientError.ts"

/**
 * Waits for a run of `effect` that begins after it is asked for: one that is under way is followed by another one.
 * The runs are forked in the client's scope: they go on when who waits is interrupted.
 */
export const make = (
  effect: Effect.Effect<void, ClientError>,
  fork: Fork,
): Effect.Effect<void, ClientError> => {
  let again = false
  let running: Fiber.RuntimeFiber<void, ClientError> | undefined

  const runs: Effect.Effect<void, ClientError> = Effect.suspend(() => {
    again = false
    return Effect.flatMap(effect, () => {
      if (again) return runs
      running = undefined
      return Effect.void
    })
  })
  const all = Effect.ensuring(
    runs,
    Effect.sync(() => (running = undefined)),
  )

  return Effect.suspend(() => {
    again = true
    const fiber = running ?? fork(all)
    running = fiber.unsafePoll() === null ? fiber : undefined
    return ClientFiber.outcome(fiber)
  })
}
