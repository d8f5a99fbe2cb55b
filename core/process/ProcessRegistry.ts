/**
 * The processes of one session, by the client's ids: start, read, write, signal, terminate.
 *
 * `start` reserves its id before anything can wait, and a failed spawn frees it. Requests on one id take effect in the
 * order of the calls: those that come while the process is starting wait for the start. A closed process stays readable
 * for the retention time, unless processes are forgotten at their exit. Closing the scope kills every child.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Fork from "../protocol/Fork.ts"
import type { SignalName, SpawnerService, SpawnSpec, TerminalSize } from "../spawn/Spawner.ts"
import type { SignalError } from "../spawn/SpawnError.ts"
import * as Control from "./Control.ts"
import type { Grace } from "./Grace.ts"
import type { InternalError } from "../protocol/ParamsError.ts"
import { type Asked, Kept } from "./Reservation.ts"
import * as Lifecycle from "./Lifecycle.ts"
import * as LongPoll from "./LongPoll.ts"
import { type Options, share, type Shared } from "./Options.ts"
import type { Process } from "./Process.ts"
import { ProcessError, type StartError, type WriteError } from "./ProcessError.ts"
import { type Entry, ProcessTable } from "./ProcessTable.ts"
import * as Reservation from "./Reservation.ts"

export type { AroundSpawn } from "./Lifecycle.ts"
export type { Adopted } from "./Process.ts"
export type { Asked } from "./Reservation.ts"
export { defaultOptions, share, type Options, type Shared } from "./Options.ts"

/** Requests on the processes of one session. */
export interface ProcessRegistry {
  /**
   * Starts a process, which goes on if the caller is interrupted. It holds its first output until its `release` is
   * called.
   */
  readonly start: (id: string, spec: SpawnSpec, asked?: Asked) => Effect.Effect<Process, StartError>
  /** Calls `use` with the process of that id, once it has started, in the order of the requests on it. */
  readonly use: <A, E>(
    id: string,
    use: (process: Process) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | ProcessError>
  /** The process of that id, once it has started. */
  readonly find: (id: string) => Effect.Effect<Process, ProcessError>
  /** Reads retained output; waits for more if the request says so. */
  readonly read: (
    id: string,
    request: LongPoll.ReadRequest,
  ) => Effect.Effect<LongPoll.ReadState, ProcessError | InternalError>
  /** Queues bytes for stdin. Completes when the child has taken them or the queue has room for them. */
  readonly write: (
    id: string,
    bytes: Uint8Array,
    writeId: string | undefined,
  ) => Effect.Effect<Control.WriteStatus, WriteError>
  /** Sends a signal to the process group; does nothing if the process is not running. */
  readonly signal: (id: string, name: SignalName) => Effect.Effect<void, SignalError>
  /**
   * Sends SIGKILL to the process group, or cancels a start. False if there was nothing to end. With a grace it asks the
   * process to end, and kills later what is left; what the grace does not say is as the start has it.
   */
  readonly terminate: (id: string, grace?: Partial<Grace>) => Effect.Effect<boolean>
  /**
   * Replaces a closed process by a new one of its id, with all that its start has asked for. Only for a process with
   * features.
   */
  readonly replace: (
    id: string,
    around: (spec: SpawnSpec) => Lifecycle.AroundSpawn | undefined,
  ) => Effect.Effect<void, StartError>
  /** Forgets the process as soon as it is closed, at once if it is; does nothing if there is none. */
  readonly remove: (id: string) => void
  /** The process of that id with its names, once it has started. */
  readonly entry: (id: string) => Effect.Effect<Entry, ProcessError>
  /** True if that id is taken. */
  readonly has: (id: string) => boolean
  /** The one who writes to the process of that id; undefined if that is its owner, and if there is none. */
  readonly writer: (id: string) => object | undefined
  /** Completes when no process is kept. */
  readonly noneKept: Effect.Effect<void>
  /** Sets the size of the PTY. */
  readonly resize: (id: string, size: TerminalSize) => Effect.Effect<void, ProcessError | SignalError>
  /** Ends a piped stdin behind the writes before; does nothing if it is not open. */
  readonly closeStdin: (id: string) => Effect.Effect<void, ProcessError>
  /** Calls `use` with every started process at once, and with each starting one, as `fresh`, when it has started. */
  readonly each: (use: (process: Process, fresh: boolean) => void) => void
  /** Its processes, those that are starting or closed included: the entries with a greater number, in its order. */
  readonly after: (number: number) => Iterable<Entry>
  /** Notifies `listener` alone of starts that have succeeded, restarts, exits and removals, in their order. */
  readonly watch: (listener: ProcessTable["listener"]) => void
  /** The number of its processes. */
  readonly count: () => number
  /** The client is gone: no process holds its first output any longer. */
  readonly release: () => void
}

/**
 * A registry whose processes end with the scope. Those of one server are given the same `shared`; `sessionId` is for
 * features.
 */
export const make = (
  spawner: SpawnerService,
  options: Options,
  shared: Shared = share(options.limits),
  sessionId = "",
): Effect.Effect<ProcessRegistry, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const clock = yield* Clock.Clock
    const places = shared.gate.open()
    const kept = new Kept(shared.gate)
    const table = new ProcessTable()
    const started = new WeakMap<Process, Started>()
    const fork = yield* forking
    const reserving = { table, places, kept, clock, shared, options }
    const { metrics } = shared
    const services: Lifecycle.Services = {
      spawner,
      table,
      options,
      metrics,
      clock,
      fork,
      scope,
      forgetsAtExit: options.forgetsAtExit === true,
      retentionMillis: options.retentionMillis,
      sessionId,
    }

    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => {
        places.close()
        table.end()
      }),
    )

    const start: ProcessRegistry["start"] = (id, spec, asked = {}) =>
      Effect.suspend((): Effect.Effect<Process, StartError> => {
        const reserved = Reservation.reserve(reserving, id, spec, asked)
        if (Result.isFailure(reserved)) return Effect.fail(reserved.failure)
        const { entry, leave: giveBack } = reserved.success
        if (asked.extend !== undefined) started.set(entry.process, { spec, asked })
        // The next request on this id finds the start begun.
        fork(Lifecycle.live(services, entry, spec, giveBack, reserved.success.asked), id)
        return entry.outcome ?? Deferred.await(entry.decided)
      })

    const withExisting = existing(table)
    return {
      start,
      use: withExisting,
      find: (id) => withExisting(id, Effect.succeed),
      read: (id, request) => withExisting(id, (process) => LongPoll.read(process, request)),
      write: (id, bytes, writeId) =>
        table.use(id, (process) =>
          process === undefined ? Effect.succeed("unknownProcess") : Control.write(process, bytes, writeId),
        ),
      signal: (id, name) =>
        table.use(id, (process) => (process === undefined ? Effect.void : Control.signal(process, name))),
      terminate: terminating(table, options, fork),
      replace: replacing(table, kept, started, start),
      remove: (id) => {
        const entry = table.get(id)
        if (entry !== undefined) table.remove(entry)
      },
      entry: (id) => withExisting(id, () => Effect.succeed(table.get(id) as Entry)),
      has: (id) => table.get(id) !== undefined,
      writer: (id) => table.get(id)?.process.writer,
      noneKept: Effect.suspend(() => kept.whenNone),
      resize: (id, size) => withExisting(id, (process) => Control.resize(process, size)),
      closeStdin: (id) => withExisting(id, Control.closeStdin),
      each: (use) => table.each(use),
      after: (number) => table.after(number),
      watch: (listener) => void (table.listener = listener),
      count: () => table.size,
      release: () => {
        for (const process of table.processes()) process.release()
      },
    }
  })

/** Runs an effect up to where it waits, and the rest of it in a fiber; logs name the process of that id. */
type Begin = (effect: Effect.Effect<void, unknown>, id?: string) => void

/** Fibers that end with the scope. */
const forking: Effect.Effect<Begin, never, Scope.Scope> = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  return (effect, id) => void fork(id === undefined ? effect : Effect.annotateLogs(effect, "process", id))
})

/** Does something with a process that is known. */
const existing =
  (table: ProcessTable) =>
  <A, E>(id: string, use: (process: Process) => Effect.Effect<A, E>) =>
    table.use(id, (process): Effect.Effect<A, E | ProcessError> =>
      process === undefined
        ? Effect.fail(new ProcessError({ reason: "Unknown", processId: id }))
        : use(process),
    )

/** The arguments of a start. */
interface Started {
  readonly spec: SpawnSpec
  readonly asked: Asked
}

/** Its session stays while one process that is kept takes the place of another. */
const replacing =
  (
    table: ProcessTable,
    kept: Kept,
    started: WeakMap<Process, Started>,
    start: ProcessRegistry["start"],
  ): ProcessRegistry["replace"] =>
  (id, around) =>
    Effect.suspend(() => {
      const entry = table.get(id)
      const again = entry && started.get(entry.process)
      if (entry?.process.closed === undefined || again === undefined)
        return Effect.fail(new ProcessError({ reason: "Unknown", processId: id }))
      const place = entry.removed === undefined ? undefined : kept.take()
      if (place !== undefined && Result.isFailure(place)) return Effect.fail(place.failure)
      table.remove(entry)
      const starting = start(id, again.spec, { ...again.asked, around: around(again.spec) })
      return Effect.ensuring(
        // It has no attachment yet.
        Effect.map(starting, (process) => process.release()),
        Effect.sync(() => place?.success()),
      )
    })

/** `fork` runs what goes on behind the answer. */
const terminating =
  (table: ProcessTable, { forgetsAtExit }: Options, fork: Begin): ProcessRegistry["terminate"] =>
  (id, grace) =>
    Effect.suspend(() => {
      const entry = table.get(id)
      if (entry === undefined) return Effect.succeed(false)
      if (entry.outcome === undefined) {
        table.decide(entry, Exit.fail(new ProcessError({ reason: "StartCancelled", processId: id })))
        return Effect.succeed(true)
      }
      const { process } = entry
      if (!process.running) return Effect.succeed(false)
      if (forgetsAtExit === true) table.forget(entry)
      if (grace === undefined) return Effect.as(Control.terminate(process), true)
      // The signal is sent before the answer.
      fork(Control.end(process, { ...process.grace, ...grace }, "terminate"))
      return Effect.succeed(true)
    })
