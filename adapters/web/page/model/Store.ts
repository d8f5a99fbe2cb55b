/** A value with followers, which hear of each change at once and in order. */

export interface Store<A> {
  readonly get: () => A
  /** Changes it; the same value again is no change. */
  readonly set: (value: A) => void
  /** Calls `listener` with the value of now, and with each change until the returned function is called. */
  readonly follow: (listener: (value: A) => void) => () => void
}

export const make = <A>(first: A): Store<A> => {
  let current = first
  const listeners = new Set<(value: A) => void>()
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener(value)
    },
    follow: (listener) => {
      listeners.add(listener)
      listener(current)
      return () => listeners.delete(listener)
    },
  }
}
