/**
 * The processes of one session, by the client's ids: start, read, write, signal, terminate, forget.
 *
 * An id is reserved before anything can wait, and a failed spawn frees it. Requests on one id take
 * effect in the order of their calls: what comes while the process is starting waits for the start. A
 * closed process stays readable for the retention time. Children live in the session's scope; closing
 * it kills them all.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type { Spawner, SpawnSpec, TerminalSize } from "../spawn/Spawner.ts"
import type { SignalError, SpawnError } from "../spawn/SpawnError.ts"
import * as OutputLog from "./OutputLog.ts"
import { Process } from "./Process.ts"
import { ProcessError } from "./ProcessError.ts"
import * as StdinQueue from "./StdinQueue.ts"

export interface Options {
  /** How long a closed process stays readable and its id taken, in milliseconds. */
  readonly retentionMillis: number
  /** What each process retains of its output. */
  readonly limits: OutputLog.Limits
}

/** 30 seconds and the ring's own limits. */
export const defaultOptions: Options = { retentionMillis: 30_000, limits: OutputLog.defaultLimits }

export type WriteStatus = "accepted" | "unknownProcess" | "stdinClosed"

export interface ReadRequest {
  readonly afterSeq: number
  /** Decoded bytes; whole chunks are returned, and always at least one. */
  readonly maxBytes: number
  readonly waitMillis: number
}

export interface ReadState {
  readonly chunks: ReadonlyArray<OutputLog.Chunk>
  readonly nextSeq: number
  readonly exited: boolean
  readonly exitCode: number | null
  readonly closed: boolean
}

export interface ProcessRegistry {
  /** Starts a process. It goes on if the caller is interrupted. */
  readonly start: (id: string, spec: SpawnSpec) => Effect.Effect<Process, ProcessError | SpawnError>
  readonly read: (id: string, request: ReadRequest) => Effect.Effect<ReadState, ProcessError>
  readonly write: (
    id: string,
    bytes: Uint8Array,
    writeId: string | undefined,
  ) => Effect.Effect<WriteStatus, ProcessError>
  /** SIGINT to the process group; nothing if it is not running. */
  readonly interrupt: (id: string) => Effect.Effect<void, SignalError>
  /** SIGKILL to the process group. True if it was running, or starting and never comes to be. */
  readonly terminate: (id: string) => Effect.Effect<boolean>
  /** Sets the size of the PTY. */
  readonly resize: (id: string, size: TerminalSize) => Effect.Effect<void, ProcessError | SignalError>
  /** Ends a piped stdin behind what was written; nothing if there is none. */
  readonly closeStdin: (id: string) => Effect.Effect<void, ProcessError>
  readonly has: (id: string) => boolean
  /** Every process that has started and is not forgotten. */
  readonly all: () => Iterable<Process>
}

/** A place in the table: taken from the call of `start`, settled when the spawner has answered. */
interface Entry {
  readonly started: Deferred.Deferred<void>
  process: Process | undefined
  cancelled: boolean
}

export const make = (
  spawner: Spawner["Type"],
  options: Options,
): Effect.Effect<ProcessRegistry, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessionScope = yield* Effect.scope
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const table = new Map<string, Entry>()

    const forget = (id: string, entry: Entry) => {
      if (table.get(id) === entry) table.delete(id)
    }

    /** The process of an id, once it has started. */
    const find = (id: string): Effect.Effect<Process | undefined> => {
      const entry = table.get(id)
      if (entry === undefined || entry.process !== undefined) return Effect.succeed(entry?.process)
      return Effect.map(Deferred.await(entry.started), () => entry.process)
    }

    /** Forgets a closed process after the retention time, and lets go of its child when its group is gone. */
    const retire = (entry: Entry, process: Process, scope: Scope.CloseableScope) =>
      Effect.gen(function* () {
        yield* process.supervise
        yield* Effect.sleep(options.retentionMillis)
        forget(process.id, entry)
        while (process.child !== undefined && (yield* process.child.lingering)) {
          yield* Effect.sleep(options.retentionMillis)
        }
        yield* Scope.close(scope, Exit.void)
      })

    const spawn = (id: string, entry: Entry, spec: SpawnSpec) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(sessionScope, ExecutionStrategy.sequential)
        const process = new Process(id, spec.stdio, options.limits)
        const child = yield* spawner
          .spawn(spec, process.events)
          .pipe(Scope.extend(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
        if (entry.cancelled) {
          yield* Scope.close(scope, Exit.void)
          return yield* new ProcessError({ reason: "StartCancelled", processId: id })
        }
        process.child = child
        if (spec.stdio.kind === "pty" || spec.stdio.stdin) process.stdin = yield* StdinQueue.make(child)
        entry.process = process
        yield* Effect.forkIn(retire(entry, process, scope), sessionScope)
        return process
      }).pipe(
        Effect.onError(() => Effect.sync(() => forget(id, entry))),
        Effect.ensuring(Deferred.succeed(entry.started, undefined)),
      )

    const start = (id: string, spec: SpawnSpec) =>
      Effect.suspend(() => {
        if (table.has(id)) return Effect.fail(new ProcessError({ reason: "AlreadyExists", processId: id }))
        const entry: Entry = { started: Deferred.unsafeMake(FiberId.none), process: undefined, cancelled: false }
        table.set(id, entry)
        // Begins now, so that whatever is called next on this id finds it begun; lives in the session.
        const spawning = runFork(spawn(id, entry, spec), { immediate: true, scope: sessionScope })
        return spawning.unsafePoll() ?? Fiber.join(spawning)
      })

    const read = (id: string, request: ReadRequest) =>
      Effect.flatMap(find(id), (process) => {
        if (process === undefined) return Effect.fail(new ProcessError({ reason: "Unknown", processId: id }))
        if (request.waitMillis === 0 || hasNews(process, request.afterSeq)) {
          return Effect.sync(() => stateAfter(process, request))
        }
        return Effect.map(awaitNews(process, request), () => stateAfter(process, request))
      })

    const write = (id: string, bytes: Uint8Array, writeId: string | undefined) =>
      Effect.flatMap(find(id), (process): Effect.Effect<WriteStatus, ProcessError> => {
        if (process === undefined) return Effect.succeed("unknownProcess")
        const { stdin } = process
        if (stdin === undefined) return Effect.succeed("stdinClosed")
        if (writeId !== undefined && stdin.knows(writeId)) return Effect.succeed("accepted")
        if (stdin.ended()) return Effect.succeed("stdinClosed")
        if (process.terminated) return Effect.fail(new ProcessError({ reason: "StdinGone", processId: id }))
        return Effect.as(stdin.write(bytes, writeId), "accepted")
      })

    const interrupt = (id: string) =>
      Effect.flatMap(find(id), (process) =>
        process?.child !== undefined && process.running ? process.child.signal("SIGINT") : Effect.void,
      )

    const terminate = (id: string) =>
      Effect.suspend(() => {
        const entry = table.get(id)
        if (entry === undefined) return Effect.succeed(false)
        if (entry.process === undefined) {
          entry.cancelled = true
          forget(id, entry)
          return Effect.succeed(true)
        }
        const { process } = entry
        if (!process.running || process.child === undefined) return Effect.succeed(false)
        process.terminated = true
        process.stdin?.close()
        return Effect.as(process.child.kill, true)
      })

    const existing = (id: string) =>
      Effect.flatMap(find(id), (process) =>
        process === undefined ? Effect.fail(new ProcessError({ reason: "Unknown", processId: id })) : Effect.succeed(process),
      )

    const resize = (id: string, size: TerminalSize) =>
      Effect.flatMap(existing(id), ({ child, running, stdio }): Effect.Effect<void, ProcessError | SignalError> => {
        if (stdio.kind !== "pty" || child?.resize === undefined) {
          return Effect.fail(new ProcessError({ reason: "NoTerminal", processId: id }))
        }
        return running ? child.resize(size) : Effect.void
      })

    const closeStdin = (id: string) => Effect.flatMap(existing(id), ({ stdin }) => stdin?.end ?? Effect.void)

    return {
      start,
      read,
      write,
      interrupt,
      terminate,
      resize,
      closeStdin,
      has: (id) => table.has(id),
      all: () => [...table.values()].flatMap(({ process }) => process ?? []),
    }
  })

/** True if a read after `seq` has something to say: output, the end, or an event between. */
const hasNews = (process: Process, seq: number): boolean =>
  process.log.after(seq) !== undefined ||
  process.closed !== undefined ||
  (process.exited !== undefined && seq < process.log.nextSeq() - 1)

/** Waits for news, or as long as the request says. Looking and waiting are one step, so none is missed. */
const awaitNews = (process: Process, { afterSeq, waitMillis }: ReadRequest): Effect.Effect<void> =>
  Effect.gen(function* () {
    const woken = Deferred.unsafeMake<void>(FiberId.none)
    const unsubscribe = process.subscribe(() => {
      if (hasNews(process, afterSeq)) Deferred.unsafeDone(woken, Effect.void)
    })
    const alarm = yield* Effect.fork(
      Effect.zipRight(Effect.sleep(Math.min(waitMillis, maxSleepMillis)), Deferred.succeed(woken, undefined)),
    )
    yield* Effect.onExit(Deferred.await(woken), () => {
      unsubscribe()
      return Fiber.interruptFork(alarm)
    })
  })

/** Longest delay that every runtime's timer takes: 2^31 - 1 milliseconds, 24 days. */
const maxSleepMillis = 2 ** 31 - 1

const stateAfter = (process: Process, { afterSeq, maxBytes }: ReadRequest): ReadState => {
  const chunks: Array<OutputLog.Chunk> = []
  let bytes = 0
  let seq = afterSeq
  for (let chunk = process.log.after(seq); chunk !== undefined; chunk = process.log.after(seq)) {
    bytes += chunk.bytes.length
    if (chunks.length > 0 && bytes > maxBytes) break
    // The view dies with the next append; an answer may be written later.
    chunks.push({ ...chunk, bytes: chunk.bytes.slice() })
    seq = chunk.seq
  }
  return {
    chunks,
    nextSeq: maxBytes !== Infinity && chunks.length > 0 ? seq + 1 : process.log.nextSeq(),
    exited: process.exited !== undefined,
    exitCode: process.exited?.exitCode ?? null,
    closed: process.closed !== undefined,
  }
}
