/** Holds two types equal, also where one may be assigned to the other. */

type Probe<T> = <G>() => G extends T ? 1 : 2

/** `same<A, B>(true)` compiles if the two are the same type, `same<A, B>(false)` if they are not. */
export const same = <A, B>(holds: Probe<A> extends Probe<B> ? true : false): void => void holds
