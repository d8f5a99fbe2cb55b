/**
 * A place in the table of a registry: taken at the call of `start`, given up when the start fails or the process is
 * forgotten.
 *
 * How the start went is decided once. What comes before that waits, and takes effect in the order of its calls.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type { SpawnError } from "../spawn/SpawnError.ts"
import type { Process } from "./Process.ts"
import type { ProcessError } from "./ProcessError.ts"

export type Started = Exit.Exit<Process, ProcessError | SpawnError>

export interface Entry {
  readonly process: Process
  readonly settled: Deferred.Deferred<Process, ProcessError | SpawnError>
  /** What came while the process was starting, in order; each takes effect when it is called. */
  readonly waiting: Set<() => void>
  /** How the start went, once that is decided. */
  exit: Started | undefined
  /** It will never be: its place is free, as that of a closed one is. */
  readonly leave: () => void
}

export const make = (process: Process, leave: () => void): Entry => ({
  process,
  settled: Deferred.unsafeMake(FiberId.none),
  waiting: new Set(),
  exit: undefined,
  leave,
})

/** Decides a start: it is answered, and what waited for it takes effect. */
export const conclude = (entry: Entry, exit: Started): void => {
  entry.exit = exit
  Deferred.unsafeDone(entry.settled, exit)
  for (const next of entry.waiting) next()
  entry.waiting.clear()
}

export const hasStarted = ({ exit }: Entry): boolean => exit !== undefined && Exit.isSuccess(exit)

/**
 * What `use` makes of the process. It is called at once, or, while the process is starting, in the order of the
 * calls as soon as that is decided: what it does itself takes effect in order.
 */
export const use = <A, E>(
  entry: Entry | undefined,
  use: (process: Process | undefined) => Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  if (entry === undefined || entry.exit !== undefined) return use(entry?.process)
  return Effect.async<A, E>((resume) => {
    const next = () => resume(use(hasStarted(entry) ? entry.process : undefined))
    entry.waiting.add(next)
    return Effect.sync(() => entry.waiting.delete(next))
  })
}
