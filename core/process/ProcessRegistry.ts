/**
 * The processes of one session, by the client's ids: start, read, write, signal, terminate.
 *
 * `start` reserves its id before anything can wait, and a failed spawn frees it. Requests on one id take effect in the
 * order of the calls: those that come while the process is starting wait for the start. A closed process stays readable
 * for the retention time, unless processes are forgotten at their exit. Closing the scope kills every child.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { PatternCache } from "../pattern/PatternCache.ts"
import type { SignalName, SpawnerService, SpawnSpec, TerminalSize } from "../spawn/Spawner.ts"
import type { SignalError } from "../spawn/SpawnError.ts"
import { Account } from "./Account.ts"
import { streamsOf } from "./Attachment.ts"
import * as Buffered from "./Buffered.ts"
import { defaultGrace, type Grace } from "./Cause.ts"
import * as Control from "./Control.ts"
import * as Deadline from "./Deadline.ts"
import {
  type GrepRequest,
  type GrepState,
  Histories,
  type HistoryRequest,
  type HistoryState,
} from "./history/Histories.ts"
import type { HistoryError } from "./history/HistoryFiles.ts"
import * as Lifecycle from "./Lifecycle.ts"
import type { Names } from "./Listed.ts"
import type * as LongPoll from "./LongPoll.ts"
import { type Options, share, type Shared } from "./Options.ts"
import { Marks } from "./marks/Marks.ts"
import * as OutputLog from "./OutputLog.ts"
import { Process } from "./Process.ts"
import { ProcessError, type StartError, type WriteError } from "./ProcessError.ts"
import { type Entry, ProcessTable } from "./ProcessTable.ts"
import type { WaitRequest, WaitState } from "./wait/Condition.ts"
import * as Waits from "./wait/Waits.ts"

export type { AroundSpawn } from "./Lifecycle.ts"
export { defaultOptions, share, type Options, type Shared } from "./Options.ts"

/** What a start may ask for beyond its spec. */
export interface Asked extends Names {
  /** Lowers how much output is retained, down to one chunk; it never raises it. */
  readonly retainedBytes?: number | undefined
  /** Stands around the spawn, behind every check. */
  readonly around?: Lifecycle.AroundSpawn | undefined
  /** True: the process closes with a receipt. */
  readonly receipt?: boolean | undefined
  /** When the process has to end; by default never. */
  readonly times?: Deadline.Times | undefined
  /** How it is asked to end. */
  readonly grace?: Partial<Grace> | undefined
  /** True: the marks in its output are told. */
  readonly marks?: boolean | undefined
  /** True: its exit says what has ended it. */
  readonly ending?: boolean | undefined
  /** Most bytes of its history; by default, and with 0, it has none. */
  readonly historyBytes?: number | undefined
}

/** Requests on the processes of one session. */
export interface ProcessRegistry {
  /**
   * Starts a process, which goes on if the caller is interrupted. It holds its first output until its `release` is
   * called.
   */
  readonly start: (id: string, spec: SpawnSpec, asked?: Asked) => Effect.Effect<Process, StartError>
  /** The process of that id, once it has started. */
  readonly find: (id: string) => Effect.Effect<Process, ProcessError>
  /** Reads retained output; waits for more if the request says so. */
  readonly read: (
    id: string,
    request: LongPoll.ReadRequest,
  ) => Effect.Effect<LongPoll.ReadState, ProcessError | HistoryError>
  /** Reads a part of what the process has printed. */
  readonly history: (
    id: string,
    request: HistoryRequest,
  ) => Effect.Effect<HistoryState, ProcessError | HistoryError>
  /** Waits until one of the conditions holds, the time has passed, or the process is closed. */
  readonly wait: (id: string, request: WaitRequest) => Effect.Effect<WaitState, ProcessError>
  /** Looks for lines in what the process has printed. */
  readonly grep: (id: string, request: GrepRequest) => Effect.Effect<GrepState, ProcessError | HistoryError>
  /** What compiles the patterns of waits and searches. */
  readonly patterns: PatternCache
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
  /** Sets the size of the PTY. */
  readonly resize: (id: string, size: TerminalSize) => Effect.Effect<void, ProcessError | SignalError>
  /** Ends a piped stdin behind the writes before; does nothing if it is not open. */
  readonly closeStdin: (id: string) => Effect.Effect<void, ProcessError>
  /** Calls `use` with every started process at once, and with each starting one, as `fresh`, when it has started. */
  readonly each: (use: (process: Process, fresh: boolean) => void) => void
  /** Its processes, those that are starting or closed included: the entries with a greater number, in its order. */
  readonly after: (number: number) => Iterable<Entry>
  /** How many processes it has. */
  readonly count: () => number
  /** The client is gone: no process holds its first output any longer. */
  readonly release: () => void
}

/** A registry whose processes end with the scope. Those of one server are given the same `shared`. */
export const make = (
  spawner: SpawnerService,
  options: Options,
  shared: Shared = share(options.limits),
): Effect.Effect<ProcessRegistry, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const clock = yield* Effect.clock
    const accounting = { clock, hasher: shared.hasher }
    const places = shared.gate.open()
    const waitsOf = Waits.byProcess(shared.evidence)
    const histories = new Histories({ files: shared.historyFiles, budget: shared.historyBudget, clock })
    const table = new ProcessTable()
    const services: Lifecycle.Services = { spawner, table, options, metrics: shared.metrics, scope }
    // A session is opened in an uninterruptible region; the fibers in it must end with it all the same.
    const runFork = Runtime.runFork(yield* Effect.interruptible(Effect.runtime<never>()))

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        places.close()
        for (const { log } of table.processes()) log.leave()
      }),
    )

    const start: ProcessRegistry["start"] = (id, spec, asked = {}) =>
      Effect.suspend((): Effect.Effect<Process, StartError> => {
        if (table.get(id) !== undefined) {
          return Effect.fail(new ProcessError({ reason: "AlreadyExists", processId: id }))
        }
        const startedAtMs = clock.unsafeCurrentTimeMillis()
        const place = places.take(startedAtMs)
        if (Either.isLeft(place)) return Effect.fail(place.left)
        const [capacity, leave] = [capacityOf(options.limits, asked), place.right]
        const account = asked.receipt === true ? new Account(accounting, streamsOf(spec.stdio)) : undefined
        const marks = asked.marks === true ? new Marks(spec.stdio) : undefined
        const process = new Process(id, spec, capacity, shared, leave, account, marks)
        const { argv, cwd } = spec
        const { around, historyBytes = 0, name, labels } = asked
        const told = Buffered.told(process, capacity, shared.buffers)
        const entry = table.reserve(told, { argv, cwd, name, labels, startedAtMs })
        const deadline = deadlineOf(process, clock, asked)
        const keeps = historyBytes > 0 && options.forgetsAtExit !== true
        const history = keeps ? histories.begin(process, historyBytes) : undefined
        // Forked with `immediate`: the next request on this id finds the start begun.
        const starting = Lifecycle.start(services, entry, spec, leave, { around, deadline, history })
        runFork(Effect.annotateLogs(starting, "process", id), { immediate: true, scope })
        return entry.outcome ?? Deferred.await(entry.decided)
      })

    // Forked with `immediate`: the signal is sent before the answer.
    const fork = (ending: Effect.Effect<void>) => void runFork(ending, { immediate: true, scope })

    const withExisting = existing(table)
    return {
      start,
      find: (id) => withExisting(id, Effect.succeed),
      read: (id, request) => withExisting(id, (process) => histories.read(process, request)),
      history: (id, request) => withExisting(id, (process) => histories.part(process, request)),
      grep: (id, request) => withExisting(id, (process) => histories.grep(process, request)),
      patterns: shared.patterns,
      wait: (id, request) => withExisting(id, (process) => waitsOf(process).wait(request)),
      write: (id, bytes, writeId) =>
        table.use(id, (process) =>
          process === undefined ? Effect.succeed("unknownProcess") : Control.write(process, bytes, writeId),
        ),
      signal: (id, name) =>
        table.use(id, (process) => (process === undefined ? Effect.void : Control.signal(process, name))),
      terminate: terminating(table, options, fork),
      resize: (id, size) => withExisting(id, (process) => Control.resize(process, size)),
      closeStdin: (id) => withExisting(id, Control.closeStdin),
      each: (use) => table.each(use),
      after: (number) => table.after(number),
      count: () => table.size,
      release: () => {
        for (const process of table.processes()) process.release()
      },
    }
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

/** Notes in the process how it ends; its deadlines, if its start has named some. */
const deadlineOf = (process: Process, clock: Clock.Clock, { ending, grace, times }: Asked) => {
  process.cause.told = ending === true
  process.grace = { ...defaultGrace, ...grace }
  return times === undefined ? undefined : new Deadline.Deadline(clock, times, process.grace)
}

/** `fork` runs what goes on behind the answer. */
const terminating =
  (
    table: ProcessTable,
    { forgetsAtExit }: Options,
    fork: (ending: Effect.Effect<void>) => void,
  ): ProcessRegistry["terminate"] =>
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
      fork(Deadline.end(process, { ...process.grace, ...grace }, "terminate"))
      return Effect.succeed(true)
    })

/** What a log may retain: what its start asks for, one chunk at least, within the limits. */
const capacityOf = (
  { retainedBytes: most, retainedChunks: chunks }: Options["limits"],
  { retainedBytes = most }: { readonly retainedBytes?: number | undefined },
): OutputLog.Capacity => ({ bytes: Math.min(most, Math.max(retainedBytes, OutputLog.maxChunkBytes)), chunks })
