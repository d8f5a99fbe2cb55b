/**
 * The process ids of one session. A start reserves an id; it is free again when the start fails or the process is
 * forgotten.
 *
 * A start is decided once: it succeeds, fails or is cancelled. A request on a process that is still starting waits for
 * that decision, and requests that waited take effect in the order of their arrival. Entries have numbers, for the
 * pages of lists.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ChangeKind } from "../protocol/List.ts"
import type { SpawnError } from "../spawn/SpawnError.ts"
import type { Facts } from "./Listed.ts"
import { Numbered } from "./Numbered.ts"
import type { Process } from "./Process.ts"
import type { ProcessError } from "./ProcessError.ts"

/** The end of a start. */
export type Outcome = Exit.Exit<Process, ProcessError | SpawnError>

/** One id in use. Only the table changes it. */
export interface Entry {
  /** Greater than that of every entry before. */
  readonly number: number
  /** The process, which may be starting. */
  readonly process: Process
  /** The facts that lists show of it. */
  readonly facts: Facts
  /** Completed when a process that is kept is removed; undefined for one that is not kept. */
  readonly removed: Deferred.Deferred<void> | undefined
  /** Undefined while the process is starting. */
  outcome: Outcome | undefined
  /** Completed with the outcome. */
  readonly decided: Deferred.Deferred<Process, ProcessError | SpawnError>
  /** Requests that wait for the outcome, in the order of their arrival. */
  readonly waiting: Set<() => void>
}

/** The ids in use. */
export class ProcessTable {
  private readonly entries = new Map<string, Entry>()
  private readonly numbered = new Numbered<Entry>()
  private last = 0

  /** Takes starts that have succeeded, restarts, exits and removals, in their order. */
  listener: (kind: ChangeKind, entry: Entry) => void = () => {}

  /** The entry of an id in use. */
  get(id: string): Entry | undefined {
    return this.entries.get(id)
  }

  /** Reserves the id of a process that is about to start. The id must be free. One that is `kept` stays until `remove`. */
  reserve(process: Process, facts: Facts, kept = false): Entry {
    const entry: Entry = {
      number: (this.last += 1),
      process,
      facts,
      removed: kept ? Deferred.makeUnsafe() : undefined,
      outcome: undefined,
      decided: Deferred.makeUnsafe(),
      waiting: new Set(),
    }
    this.entries.set(process.id, entry)
    this.numbered.add(entry)
    return entry
  }

  /** Decides a start and runs the requests that waited for it. Later decisions are ignored; a failure frees the id. */
  decide(entry: Entry, outcome: Outcome): void {
    if (entry.outcome !== undefined) return
    // First, for those who hear that the process is forgotten.
    entry.outcome = outcome
    if (Exit.isFailure(outcome)) this.forget(entry)
    if (Exit.isSuccess(outcome)) this.started(entry)
    Deferred.doneUnsafe(entry.decided, outcome)
    for (const next of entry.waiting) next()
    entry.waiting.clear()
  }

  /** Frees the id and takes the log out of the shared memory account. Idempotent. */
  forget(entry: Entry): void {
    if (this.entries.get(entry.process.id) !== entry) return
    this.entries.delete(entry.process.id)
    this.numbered.remove(entry)
    if (hasStarted(entry)) this.listener("removed", entry)
    entry.process.forgotten("removed")
  }

  /** The session ends, and with it all that it has: later changes are not reported. */
  end(): void {
    for (const entry of this.entries.values()) {
      if (hasStarted(entry)) this.listener("removed", entry)
      entry.process.forgotten("sessionEnd")
    }
    this.listener = () => {}
  }

  /** Forgets a process as soon as it is closed, at once if it is. */
  remove(entry: Entry): void {
    const { process, removed } = entry
    const forget = () => {
      this.forget(entry)
      if (removed !== undefined) Deferred.doneUnsafe(removed, Effect.void)
    }
    if (process.closed !== undefined) return forget()
    const unsubscribe = process.subscribe(() => {
      if (process.closed === undefined) return
      unsubscribe()
      forget()
    })
  }

  /**
   * Calls `use` with the process of that id, or with undefined if there is none: at once, or as soon as its start is
   * decided. What `use` does before it returns takes effect in the order of the calls; the effect may wait.
   */
  use<A, E>(id: string, use: (process: Process | undefined) => Effect.Effect<A, E>): Effect.Effect<A, E> {
    const entry = this.entries.get(id)
    if (entry === undefined || entry.outcome !== undefined) return use(entry?.process)
    return Effect.callback<A, E>((resume) => {
      const next = () => resume(use(hasStarted(entry) ? entry.process : undefined))
      entry.waiting.add(next)
      return Effect.sync(() => entry.waiting.delete(next))
    })
  }

  /** Calls `use` with every process that has started, and later, as `fresh`, with those that are starting now. */
  each(use: (process: Process, fresh: boolean) => void): void {
    for (const entry of this.entries.values()) {
      if (hasStarted(entry)) use(entry.process, false)
      else entry.waiting.add(() => hasStarted(entry) && use(entry.process, true))
    }
  }

  /** The entries with a greater number, in its order. */
  after(number: number): Iterable<Entry> {
    return this.numbered.after(number)
  }

  private started(entry: Entry): void {
    const { process } = entry
    const tell = (kind: ChangeKind) => {
      if (this.entries.get(process.id) === entry) this.listener(kind, entry)
    }
    tell("started")
    process.onChange = tell
    if (!process.running) tell("exited")
  }

  /** The number of ids in use. */
  get size(): number {
    return this.entries.size
  }

  /** Every process, those that are starting included. */
  processes(): ReadonlyArray<Process> {
    return Array.from(this.entries.values(), ({ process }) => process)
  }
}

/** True once the start has succeeded. */
export const hasStarted = ({ outcome }: Entry): boolean => outcome !== undefined && Exit.isSuccess(outcome)
