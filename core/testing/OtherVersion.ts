/** Effects as another version of `effect` makes them. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

/** The same effect as one that another version has made. */
export const other = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Object.create(effect, {
    [Effect.EffectTypeId]: { value: { ...effect[Effect.EffectTypeId], _V: "3.0.0" } },
  })

/** What is logged while an effect runs. */
export const logged = async (effect: Effect.Effect<unknown, unknown>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  await Effect.runPromise(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)))
  return lines
}
