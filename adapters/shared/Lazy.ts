/**
 * Code that is loaded when it is first used, by `import()`. In the bundles it is evaluated then; it is there always, so
 * a load that fails is a defect.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const use = <M, A, E, R>(
  load: () => Promise<M>,
  make: (module: M) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(load), make)

export const layer = <M, A, E, R>(
  load: () => Promise<M>,
  make: (module: M) => Layer.Layer<A, E, R>,
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), make))
