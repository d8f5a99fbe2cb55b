/**
 * Sessions outlive connections: attach, detach, resume, expire.
 *
 * A session owns processes and is attached to at most one connection. When that is gone the children
 * run on and their output is retained; a new connection may resume the session until its time to live
 * has passed since the detachment. Then, or when the registry's scope closes, its children are killed.
 * A bound session is one that a wire without resumption has: it ends with its connection.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Scope from "effect/Scope"
import { LimitError } from "../protocol/Limits.ts"
import type { Metrics } from "../process/Metrics.ts"
import * as ProcessRegistry from "../process/ProcessRegistry.ts"
import { Spawner } from "../spawn/Spawner.ts"
import { SessionIds } from "./SessionIds.ts"

export interface Options extends ProcessRegistry.Options {
  /** How long a detached session can be resumed, in milliseconds. */
  readonly detachedMillis: number
  /** Where sessions and processes are counted; by default nobody else sees them. */
  readonly metrics?: Metrics
}

/** 80 seconds, as in the peer implementation. */
export const defaultOptions: Options = { ...ProcessRegistry.defaultOptions, detachedMillis: 80_000 }

export class SessionError extends Data.TaggedError("SessionError")<{
  /** No such session (any more), or one that is still attached to another connection. */
  readonly reason: "Unknown" | "Attached"
  readonly sessionId: string
}> {}

export interface Session {
  readonly id: string
  readonly processes: ProcessRegistry.ProcessRegistry
}

export interface SessionRegistry {
  /** A new session, attached to the caller. */
  readonly open: Effect.Effect<Session, LimitError>
  /** A new session that ends when it is detached, and forgets its processes at their exit. */
  readonly openBound: Effect.Effect<Session, LimitError>
  /** A detached session, attached to the caller from now on. */
  readonly resume: (id: string) => Effect.Effect<Session, SessionError>
  /** Lets go of a session; its time to live begins. */
  readonly detach: (session: Session) => Effect.Effect<void>
  /** Ends a session at once. */
  readonly end: (session: Session) => Effect.Effect<void>
}

interface Entry {
  readonly session: Session
  readonly scope: Scope.CloseableScope
  /** It is nobody's but its connection's. */
  readonly bound: boolean
  /** The latest detachment, until it is resumed: the one whose time to live counts. */
  detachment: object | undefined
}

export const make = (
  options: Options,
): Effect.Effect<SessionRegistry, never, Spawner | SessionIds | Scope.Scope> =>
  Effect.gen(function* () {
    const spawner = yield* Spawner
    const ids = yield* SessionIds
    // Children are killed side by side, so that one that takes its time delays no other.
    const registryScope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const expiries = yield* FiberMap.make<string>()
    const table = new Map<string, Entry>()

    const shared = ProcessRegistry.share(options.limits, options.metrics)
    const most = options.limits.sessions

    const make = Effect.fnUntraced(function* (bound: boolean) {
      if (table.size >= most) return yield* new LimitError({ limit: "sessions", value: most })
      const id = yield* ids.next
      const scope = yield* Scope.fork(registryScope, ExecutionStrategy.parallel)
      yield* Scope.extend(shared.metrics.inSession, scope)
      const processes = yield* ProcessRegistry.make(
        spawner,
        { ...options, forgetsAtExit: bound },
        shared,
      ).pipe(Scope.extend(scope), Effect.annotateLogs("session", id))
      yield* Effect.annotateLogs(Effect.logDebug("session opened"), { session: id })
      const session: Session = { id, processes }
      table.set(id, { session, scope, bound, detachment: undefined })
      return session
    })

    // One step: a caller that is interrupted has either not resumed or can detach.
    const resume = (id: string) =>
      Effect.suspend(() => {
        const entry = table.get(id)
        if (entry === undefined) return Effect.fail(new SessionError({ reason: "Unknown", sessionId: id }))
        if (entry.detachment === undefined) {
          return Effect.fail(new SessionError({ reason: "Attached", sessionId: id }))
        }
        entry.detachment = undefined
        return Effect.succeed(entry.session)
      })

    const end = ({ id }: Session) =>
      Effect.suspend(() => {
        const entry = table.get(id)
        table.delete(id)
        return entry === undefined ? Effect.void : Scope.close(entry.scope, Exit.void)
      })

    const expire = (entry: Entry, detachment: object) =>
      Effect.gen(function* () {
        yield* Effect.sleep(options.detachedMillis)
        // Resumed meanwhile, and perhaps detached again in this very moment.
        if (entry.detachment !== detachment) return
        yield* Effect.annotateLogs(Effect.logDebug("session expired"), { session: entry.session.id })
        yield* end(entry.session)
      })

    const detach = (session: Session) =>
      Effect.suspend(() => {
        const entry = table.get(session.id)
        if (entry === undefined) return Effect.void
        if (entry.bound) return end(session)
        const detachment = {}
        entry.detachment = detachment
        session.processes.release()
        return FiberMap.run(expiries, session.id, expire(entry, detachment))
      })

    return { open: make(false), openBound: make(true), resume, detach, end }
  })
