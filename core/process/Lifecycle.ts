/**
 * The life of a process behind its reserved id: its child is spawned, it is supervised until it is closed, retained,
 * forgotten, and at last the scope of the child is closed.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SpawnError } from "../spawn/SpawnError.ts"
import type { ChildHandle, SpawnEvents, SpawnerService, SpawnSpec } from "../spawn/Spawner.ts"
import * as ChildScope from "./ChildScope.ts"
import { hasDescendants } from "./Control.ts"
import type { Extension } from "./Extension.ts"
import type { Metrics } from "./Metrics.ts"
import type { Options } from "./Options.ts"
import type { Process } from "./Process.ts"
import type { Entry, ProcessTable } from "./ProcessTable.ts"
import * as StdinQueue from "./StdinQueue.ts"

/** The services that the processes of one session share. */
export interface Services extends FeatureServices {
  /** Starts the children. */
  readonly spawner: SpawnerService
  /** The ids of the session. */
  readonly table: ProcessTable
  /** Those of the registry. */
  readonly options: Options
  /** Counts starts. */
  readonly metrics: Metrics
}

/**
 * A wrap around the spawn of a child: it may refuse it, or add finalizers to the child's scope. Those that it adds
 * first run when the child is gone.
 */
export type AroundSpawn = (
  process: Process,
  spawn: Effect.Effect<ChildHandle, SpawnError, Scope.Scope>,
) => Effect.Effect<ChildHandle, SpawnError, Scope.Scope>

/** Services of the session that features use. */
export interface FeatureServices {
  /** The clock of the server. */
  readonly clock: Clock.Clock
  /** Runs a fiber that ends with the session. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** The scope of the session. Children live in it: closing it kills them. */
  readonly scope: Scope.Scope
  /** True if processes are forgotten at their exit. */
  readonly forgetsAtExit: boolean
  /** The stay of a closed process, in milliseconds. */
  readonly retentionMillis: number
  /** The id of the session, which is a secret. */
  readonly sessionId: string
}

/** Makes the part of features in the process of an entry, which is about to spawn. */
export type Extend = (entry: Entry, services: FeatureServices) => Extension | undefined

/** The wishes of a start beyond its spec. */
export interface Asked {
  /** The part of features in it; by default there is none. */
  readonly extend?: Extend | undefined
  /** Stands around the spawn; by default nothing does. */
  readonly around?: AroundSpawn | undefined
  /** True: the process is forgotten as soon as it is closed. */
  readonly autoRemove?: boolean | undefined
}

/**
 * The whole life of an entry, from its start on. `leave` gives back the place of a process that never started (one that
 * is closed has given it back).
 */
export const live = (
  services: Services,
  entry: Entry,
  spec: SpawnSpec,
  leave: () => void,
  asked: Asked = {},
): Effect.Effect<void, SpawnError> =>
  Effect.flatMap(start(services, entry, spec, leave, asked), (childScope) =>
    childScope === undefined ? Effect.void : retire(services, entry, childScope, asked),
  )

/** Spawns the child and decides the start: the scope of the child, or undefined if the start was cancelled. */
const start = (
  services: Services,
  entry: Entry,
  spec: SpawnSpec,
  leave: () => void,
  { around = (_process, spawn) => spawn, extend, autoRemove }: Asked,
): Effect.Effect<ChildScope.ChildScope | undefined, SpawnError> => {
  const { spawner, table, options, clock, metrics, scope } = services
  const { process } = entry
  // Before there is any output.
  process.extend(extend?.(entry, services))
  const spawning = process.extension?.spawner?.(spawner) ?? spawner
  const extended = process.extension?.events?.(process.events) ?? process.events
  const events = dated(extended, process, clock)
  return Effect.gen(function* () {
    const childScope = yield* ChildScope.fork(scope)
    const child = yield* around(process, metrics.spawning(spawning.spawn(spec, events))).pipe(
      Scope.provide(childScope.child),
      Effect.onError(() => childScope.close),
    )
    const takesInput = spec.stdio.kind === "pty" || spec.stdio.stdin
    const stdin = takesInput
      ? yield* StdinQueue.make(child, options.limits.stdinBytes, process.adopted?.writeIds)
      : undefined
    // `terminate` may have cancelled the start meanwhile.
    if (entry.outcome !== undefined) {
      yield* Effect.ensuring(childScope.close, Effect.sync(leave))
      return undefined
    }
    process.begin(child, stdin)
    if (options.forgetsAtExit === true) forgetAtExit(table, entry)
    table.decide(entry, Exit.succeed(process))
    // No listener that hears of its end finds it in lists.
    if (autoRemove === true) table.remove(entry)
    yield* Effect.logDebug("process started")
    if (process.extension?.run !== undefined) yield* Effect.forkIn(process.extension.run, scope)
    return childScope
  }).pipe(
    Effect.onError((cause) =>
      Effect.sync(() => {
        leave()
        table.decide(entry, Exit.failCause(cause))
      }),
    ),
  )
}

/** Notes when the child ends, before anybody hears of it. */
const dated = (events: SpawnEvents, process: Process, clock: Clock.Clock): SpawnEvents => ({
  ...events,
  exit: (status, ending) => {
    process.endedAtMs ??= clock.currentTimeMillisUnsafe()
    events.exit(status, ending)
  },
})

/** Frees the id at the exit. This is the first listener: all others find the id free at the exit. */
const forgetAtExit = (table: ProcessTable, entry: Entry): void => {
  const { process } = entry
  const unsubscribe = process.subscribe(() => {
    if (process.running) return
    unsubscribe()
    table.forget(entry)
  })
}

/**
 * Forgets a closed process after the retention time, or when one that is kept is removed, and closes its child's scope
 * once its descendants are gone.
 */
const retire = (
  { table, options }: Services,
  entry: Entry,
  childScope: ChildScope.ChildScope,
  { autoRemove }: Asked,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { process } = entry
    yield* process.supervise
    yield* Effect.logDebug("process closed")
    if (entry.removed !== undefined) yield* Deferred.await(entry.removed)
    else if (options.forgetsAtExit !== true && autoRemove !== true)
      yield* Effect.sleep(options.retentionMillis)
    table.forget(entry)
    while (process.child !== undefined && (yield* hasDescendants(process.child))) {
      yield* Effect.sleep(options.retentionMillis)
    }
    yield* childScope.close
  })
