/** Random ids of six hex digits. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export const next: Effect.Effect<string> = Effect.map(Random.nextIntBetween(0, 2 ** 24), (number) =>
  number.toString(16).padStart(6, "0"),
)
