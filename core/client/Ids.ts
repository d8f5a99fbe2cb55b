/**
 * Ids that a client makes, such as `process-9f3a61c2d07b-1`. The middle is random for each client, so clients that
 * resume each other's sessions do not collide; the end counts.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Makes an id that begins with `kind`. */
export type NextId = (kind: string) => string

/** Draws from the `Random` service once. */
export const make: Effect.Effect<NextId> = Effect.map(
  Effect.zip(Random.nextIntBetween(0, 2 ** 24 - 1), Random.nextIntBetween(0, 2 ** 24 - 1)),
  (parts) => {
    const own = parts.map((part) => part.toString(16).padStart(6, "0")).join("")
    let count = 0
    return (kind) => `${kind}-${own}-${(count += 1)}`
  },
)
