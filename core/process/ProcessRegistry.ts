/**
 * The processes of one session, by the client's ids: start, read, write, signal, terminate, forget.
 *
 * An id is reserved before anything can wait, and a failed spawn frees it. Requests on one id take
 * effect in the order of their calls: what comes while the process is starting waits for the start. A
 * closed process stays readable for the retention time, unless processes are forgotten at their exit.
 * Children live in the session's scope; closing it kills them all.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type { Spawner, SpawnSpec, TerminalSize } from "../spawn/Spawner.ts"
import type { SignalError } from "../spawn/SpawnError.ts"
import * as ChildScope from "./ChildScope.ts"
import * as LongPoll from "./LongPoll.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as Metrics from "./Metrics.ts"
import * as OutputLog from "./OutputLog.ts"
import { type Options, share, type Shared } from "./Options.ts"
import { Process } from "./Process.ts"
import { ProcessError, type StartError, type WriteError } from "./ProcessError.ts"
import * as StdinQueue from "./StdinQueue.ts"

export { defaultOptions, share, type Options, type Shared } from "./Options.ts"

export type WriteStatus = "accepted" | "unknownProcess" | "stdinClosed"

export interface ProcessRegistry {
  /**
   * Starts a process. It goes on if the caller is interrupted. Its output is held until it is released. At most
   * `retainedBytes` of it are retained, but always a chunk, and never more than of any process.
   */
  readonly start: (id: string, spec: SpawnSpec, retainedBytes?: number) => Effect.Effect<Process, StartError>
  readonly read: (
    id: string,
    request: LongPoll.ReadRequest,
  ) => Effect.Effect<LongPoll.ReadState, ProcessError>
  readonly write: (
    id: string,
    bytes: Uint8Array,
    writeId: string | undefined,
  ) => Effect.Effect<WriteStatus, WriteError>
  /** SIGINT to the process group; nothing if it is not running. */
  readonly interrupt: (id: string) => Effect.Effect<void, SignalError>
  /** SIGKILL to the process group. True if it was running, or starting and never comes to be. */
  readonly terminate: (id: string) => Effect.Effect<boolean>
  /** Sets the size of the PTY. */
  readonly resize: (id: string, size: TerminalSize) => Effect.Effect<void, ProcessError | SignalError>
  /** Ends a piped stdin behind what was written; nothing if there is none. */
  readonly closeStdin: (id: string) => Effect.Effect<void, ProcessError>
  /** Calls `use` with every process of the table: those that are starting follow, as `fresh`, when they have. */
  readonly each: (use: (process: Process, fresh: boolean) => void) => void
  /** Whoever asked for processes is gone: none holds its first output for it any longer. */
  readonly release: () => void
}

export const make = (
  spawner: Spawner["Type"],
  options: Options,
  { gate, retention }: Shared = share(options.limits),
): Effect.Effect<ProcessRegistry, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessionScope = yield* Effect.scope
    const clock = yield* Effect.clock
    const { retainedBytes: bytes, retainedChunks: chunks, stdinBytes } = options.limits
    const { forgetsAtExit = false } = options
    const places = gate.open()
    // Sessions open where nothing may interrupt; what lives in them has to end with them.
    const runFork = Runtime.runFork(yield* Effect.interruptible(Effect.runtime<never>()))
    const table = new Map<string, ProcessTable.Entry>()

    const forget = (entry: ProcessTable.Entry) => {
      if (table.get(entry.process.id) !== entry) return
      table.delete(entry.process.id)
      entry.process.log.leave()
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        places.close()
        for (const entry of table.values()) entry.process.log.leave()
      }),
    )

    /** Decides a start, once: it is answered, and what waited for it takes effect. */
    const conclude = (entry: ProcessTable.Entry, exit: ProcessTable.Started) => {
      if (entry.exit !== undefined) return
      if (Exit.isFailure(exit)) forget(entry)
      ProcessTable.conclude(entry, exit)
    }

    /** What `use` makes of the process of an id, as soon as it is decided whether there is one. */
    const withProcess = <A, E>(id: string, use: (process: Process | undefined) => Effect.Effect<A, E>) =>
      Effect.suspend(() => ProcessTable.use(table.get(id), use))

    /** The first listener of all: whoever is told of the exit finds the id free. */
    const forgetAtExit = (entry: ProcessTable.Entry) => {
      const { process } = entry
      const unsubscribe = process.subscribe(() => {
        if (process.running) return
        unsubscribe()
        forget(entry)
      })
    }

    /** Forgets a closed process after the retention time, and lets go of its child when its group is gone. */
    const retire = (entry: ProcessTable.Entry, scope: ChildScope.ChildScope) =>
      Effect.gen(function* () {
        const { process } = entry
        yield* process.supervise
        yield* Effect.logDebug("process closed")
        if (!forgetsAtExit) yield* Effect.sleep(options.retentionMillis)
        forget(entry)
        while (process.child !== undefined && (yield* process.child.lingering)) {
          yield* Effect.sleep(options.retentionMillis)
        }
        yield* scope.close
      })

    const spawn = (entry: ProcessTable.Entry, spec: SpawnSpec) =>
      Effect.gen(function* () {
        const { process } = entry
        const scope = yield* ChildScope.fork(sessionScope)
        const child = yield* Metrics.spawning(spawner.spawn(spec, process.events)).pipe(
          Scope.extend(scope.child),
          Effect.onError(() => scope.close),
        )
        const takesInput = spec.stdio.kind === "pty" || spec.stdio.stdin
        const stdin = takesInput ? yield* StdinQueue.make(child, stdinBytes) : undefined
        // The start may have been cancelled meanwhile, and is answered.
        if (entry.exit !== undefined) return yield* Effect.ensuring(scope.close, Effect.sync(entry.leave))
        process.begin(child, stdin)
        if (forgetsAtExit) forgetAtExit(entry)
        conclude(entry, Exit.succeed(process))
        yield* Effect.logDebug("process started")
        yield* Effect.forkIn(retire(entry, scope), sessionScope)
      }).pipe(
        Effect.onError((cause) =>
          Effect.sync(() => {
            entry.leave()
            conclude(entry, Exit.failCause(cause))
          }),
        ),
      )

    const start = (id: string, spec: SpawnSpec, retained = bytes) =>
      Effect.suspend((): Effect.Effect<Process, StartError> => {
        if (table.has(id)) return Effect.fail(new ProcessError({ reason: "AlreadyExists", processId: id }))
        const place = places.take(clock.unsafeCurrentTimeMillis())
        if (Either.isLeft(place)) return Effect.fail(place.left)
        const limits = { bytes: Math.min(bytes, Math.max(retained, OutputLog.maxChunkBytes)), chunks }
        const entry = ProcessTable.make(new Process(id, spec, limits, retention, place.right), place.right)
        table.set(id, entry)
        // Begins now, so that whatever is called next on this id finds it begun; lives in the session.
        runFork(Effect.annotateLogs(spawn(entry, spec), "process", id), {
          immediate: true,
          scope: sessionScope,
        })
        return entry.exit ?? Deferred.await(entry.settled)
      })

    const write = (id: string, bytes: Uint8Array, writeId: string | undefined) =>
      withProcess(id, (process): Effect.Effect<WriteStatus, WriteError> => {
        if (process === undefined) return Effect.succeed("unknownProcess")
        const { stdin } = process
        if (stdin === undefined) return Effect.succeed("stdinClosed")
        if (stdin.knows(writeId)) return Effect.succeed("accepted")
        if (stdin.ended()) return Effect.succeed("stdinClosed")
        if (process.terminated) return Effect.fail(new ProcessError({ reason: "StdinGone", processId: id }))
        return Effect.as(stdin.write(bytes, writeId), "accepted")
      })

    const interrupt = (id: string) =>
      withProcess(id, (process) =>
        process?.child !== undefined && process.running ? process.child.signal("SIGINT") : Effect.void,
      )

    const terminate = (id: string) =>
      Effect.suspend(() => {
        const entry = table.get(id)
        if (entry === undefined) return Effect.succeed(false)
        const { process } = entry
        if (entry.exit === undefined) {
          conclude(entry, Exit.fail(new ProcessError({ reason: "StartCancelled", processId: id })))
          return Effect.succeed(true)
        }
        if (!process.running || process.child === undefined) return Effect.succeed(false)
        process.terminated = true
        process.stdin?.close()
        if (forgetsAtExit) forget(entry)
        return Effect.as(process.child.kill, true)
      })

    const withExisting = <A, E>(id: string, use: (process: Process) => Effect.Effect<A, E>) =>
      withProcess(id, (process): Effect.Effect<A, E | ProcessError> =>
        process === undefined
          ? Effect.fail(new ProcessError({ reason: "Unknown", processId: id }))
          : use(process),
      )

    const read = (id: string, request: LongPoll.ReadRequest) =>
      withExisting(id, (process) => LongPoll.read(process, request))

    const resize = (id: string, size: TerminalSize) =>
      withExisting(id, ({ child, running, stdio }): Effect.Effect<void, ProcessError | SignalError> => {
        if (stdio.kind !== "pty" || child?.resize === undefined) {
          return Effect.fail(new ProcessError({ reason: "NoTerminal", processId: id }))
        }
        return running ? child.resize(size) : Effect.void
      })

    const closeStdin = (id: string) => withExisting(id, ({ stdin }) => stdin?.end() ?? Effect.void)

    return {
      start,
      read,
      write,
      interrupt,
      terminate,
      resize,
      closeStdin,
      each: (use) => {
        for (const entry of table.values()) {
          if (ProcessTable.hasStarted(entry)) use(entry.process, false)
          else entry.waiting.add(() => ProcessTable.hasStarted(entry) && use(entry.process, true))
        }
      },
      release: () => {
        for (const { process } of table.values()) process.release()
      },
    }
  })
