/**
 * Code of a feature that is loaded when it is first asked for, by `import()`.
 *
 * A connection loads it in front of the request that needs it, and takes nothing from its peer meanwhile: so requests
 * take effect in the order of their arrival, and behind the load the code is there at once. It is part of the program,
 * so a load that fails is a defect.
 */
import * as Effect from "effect/Effect"

export interface Late<M> {
  /** The code. A defect while it is not loaded. */
  readonly get: () => M
  /** Loads the code; undefined if it is there. */
  readonly loading: () => Effect.Effect<void> | undefined
}

/** All that there is. */
export const all: Array<Late<unknown>> = []

export const make = <M>(load: () => Promise<M>): Late<M> => {
  let code: M | undefined
  const loading = Effect.map(Effect.promise(load), (loaded) => void (code = loaded))
  const late: Late<M> = {
    get: () => {
      if (code === undefined) throw new Error("the code of a feature is used before it is loaded")
      return code
    },
    loading: () => (code === undefined ? loading : undefined),
  }
  all.push(late)
  return late
}

/** Runs `use` with the code; at once if that is there. */
export const use = <M, A, E, R>(
  { get, loading }: Late<M>,
  use: (code: M) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const first = loading()
  return first === undefined ? use(get()) : Effect.flatMap(first, () => use(get()))
}
