/**
 * Sessions, which outlive connections: attach, detach, resume, take over, expire.
 *
 * A session owns processes and is attached to at most one connection. When that connection is gone, the children go on
 * and their output is retained; a new connection can resume the session within its time to live, which begins at the
 * detachment, and goes on until none of its processes is kept. After that, or when the scope of the registry closes,
 * its children are killed. A connection can also take a session over from the one that has it; that changes hands in
 * one synchronous step, so that a session never has two. A bound session, for dialects without resumption, ends with
 * its connection. Sessions have numbers, for lists: their ids are secrets.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Scope from "effect/Scope"
import { Buffers } from "../protocol/Buffers.ts"
import { keptMillis, LimitError } from "../protocol/Limits.ts"
import type { Metrics } from "../process/Metrics.ts"
import { Numbered } from "../process/Numbered.ts"
import * as ProcessRegistry from "../process/ProcessRegistry.ts"
import { Keeper } from "../spawn/Keeper.ts"
import { Spawner } from "../spawn/Spawner.ts"
import type { Place } from "../transport/Transport.ts"
import { Changes } from "./Changes.ts"
import type * as Listing from "./Listing.ts"
import { SessionIds } from "./SessionIds.ts"

/** Options of a session registry, and of the process registries in it. */
export interface Options extends ProcessRegistry.Options {
  /** The time for which a detached session can be resumed, in milliseconds. */
  readonly detachedMillis: number
  /** Counters of sessions and processes; by default metrics that only this registry has. */
  readonly metrics?: Metrics
}

/** The times of the peer implementation. */
export const defaultOptions: Options = {
  ...ProcessRegistry.defaultOptions,
  detachedMillis: keptMillis.detachedSession,
}

/** A session that cannot be resumed. */
export class SessionError extends Data.TaggedError("SessionError")<{
  /** `Unknown`: no such session, or no longer. `Attached`: another connection has it. */
  readonly reason: "Unknown" | "Attached"
  /** The id that the request named. */
  readonly sessionId: string
}> {}

/** An open session. */
export interface Session {
  /** The id by which a client resumes it. */
  readonly id: string
  /** Its place among the sessions of the server: 1 for the first one. */
  readonly number: number
  /** Its processes. */
  readonly processes: ProcessRegistry.ProcessRegistry
}

/** A connection, as the session that is attached to it knows it. */
export interface Holder {
  /**
   * Another connection has taken the session: this one serves it no more. Returns what lets go of the processes, which
   * is called when the other one follows them.
   */
  readonly taken: (session: Session) => () => void
  /** The session is over for those who found its place: this connection ends, and who comes back hears why. */
  readonly over?: Effect.Effect<void>
}

/** An open session, as long as it is open. */
export interface Found {
  /** The session. */
  readonly session: Session
  /** The connection that has it now; undefined if none has, or it is a bound one. */
  readonly holder: Holder | undefined
  /** Undefined while a connection has it. */
  readonly detachment: object | undefined
}

/** The sessions of one server. */
export interface SessionRegistry {
  /** Opens a session that is attached to the holder, at the place that was found for it. */
  readonly open: (holder: Holder, place?: Place) => Effect.Effect<Session, LimitError>
  /** Opens a session that ends when it is detached, and that forgets processes at their exit. */
  readonly openBound: Effect.Effect<Session, LimitError>
  /** Opens a session of that id, which another server had. It is detached: its time to live begins. */
  readonly reopen: (id: string) => Effect.Effect<Session, LimitError>
  /** Attaches a detached session to the holder; with `takeover` also one that another holder has. */
  readonly resume: (id: string, holder: Holder, takeover?: boolean) => Effect.Effect<Session, SessionError>
  /** The holder of a resumed session follows its processes: those that had it before let go of them. */
  readonly handedOver: (session: Session) => void
  /** Detaches a session: its time to live begins. Ignored from a holder whose session was taken over. */
  readonly detach: (session: Session, holder?: Holder) => Effect.Effect<void>
  /** Ends a session at once; its children are killed. */
  readonly end: (session: Session) => Effect.Effect<void>
  /** The open session of that id; a number is that of lists. */
  readonly find: (session: string | number) => Found | undefined
  /** The open sessions with a greater number, in its order. */
  readonly after: Listing.Sessions
  /** The changes of the processes of all sessions. */
  readonly changes: Changes
}

interface OpenSession extends Listing.OpenSession {
  readonly number: number
  readonly session: Session
  readonly scope: Scope.Closeable
  /** Ends with its connection. */
  readonly bound: boolean
  /** Its place in a fleet, if a router has found one. */
  readonly place: Place | undefined
  /** The attached connection; a bound session takes no other. */
  holder: Holder | undefined
  /** Identifies the latest detachment, whose time to live counts; undefined while the session is attached. */
  detachment: object | undefined
  /** The next server is not to know it; undefined without a keeper. */
  readonly forget: (() => void) | undefined
  /** Lets go of the processes for those that the session was taken from. */
  readonly leaving: Array<() => void>
}

/** The sessions of one server; they end with the scope. */
export const make = (
  options: Options,
): Effect.Effect<SessionRegistry, never, Spawner | SessionIds | Scope.Scope> =>
  Effect.gen(function* () {
    const [spawner, ids, keeper] = [yield* Spawner, yield* SessionIds, yield* Keeper]
    // Children are killed in parallel: a slow one delays no other.
    const registryScope = yield* Scope.fork(yield* Effect.scope, "parallel")
    const expiries = yield* FiberMap.make<string>()
    const table = new Map<string, OpenSession>()
    const numbered = new Numbered<OpenSession>()
    const changes = new Changes(yield* Clock.Clock)
    let last = 0

    const { limits, metrics } = options
    const shared = ProcessRegistry.share(limits, metrics, yield* Buffers)
    const most = options.limits.sessions

    const make = Effect.fnUntraced(function* ({ holder, bound = false, place, ...known }: Opening) {
      if (table.size >= most) return yield* new LimitError({ limit: "sessions", value: most })
      const found = place !== undefined && !table.has(place.sessionId) ? place : undefined
      const id = known.id ?? found?.sessionId ?? (yield* ids.next)
      const scope = yield* Scope.fork(registryScope, "parallel")
      yield* shared.metrics.inSession(scope)
      const own = { ...options, forgetsAtExit: bound }
      const processes = yield* ProcessRegistry.make(spawner, own, shared, id).pipe(
        Effect.tap(Effect.logDebug("session opened")),
        Scope.provide(scope),
        Effect.annotateLogs("session", id),
      )
      const since = { openedAtMs: yield* Clock.currentTimeMillis, detachment: undefined }
      // Numbered in the same step in which it is listed, so that the list is in order.
      const number = (last += 1)
      const session: Session = { id, number, processes }
      const entry: OpenSession = {
        place: found,
        number,
        session,
        scope,
        bound,
        holder,
        ...since,
        forget: bound ? undefined : keeper?.remember(id),
        leaving: [],
      }
      table.set(id, entry)
      numbered.add(entry)
      processes.watch((kind, of) => changes.add(kind, entry, of))
      if (found !== undefined) yield* taking(found, entry, end(session))
      return session
    })

    const end = ({ id }: Session) =>
      Effect.suspend(() => {
        const entry = table.get(id)
        if (entry === undefined) return Effect.void
        table.delete(id)
        numbered.remove(entry)
        entry.forget?.()
        return Scope.close(entry.scope, Exit.void)
      })

    const detach = (session: Session, holder?: Holder) =>
      Effect.suspend(() => {
        const entry = table.get(session.id)
        if (entry === undefined) return Effect.void
        if (entry.bound) return end(session)
        if (entry.holder !== holder) return Effect.void
        const detachment = {}
        entry.detachment = detachment
        entry.holder = undefined
        letGo(entry)
        return FiberMap.run(expiries, session.id, expire(entry, detachment, options.detachedMillis, end))
      })

    const reopen = (id: string) => Effect.tap(make({ holder: undefined, id }), (session) => detach(session))

    const after = (number: number) => numbered.after(number)
    const [resume, handedOver] = [resuming(table), handing(table)]
    const find = finding(table, numbered)
    return {
      open: (holder, place) => make({ holder, place }),
      openBound: make({ holder: undefined, bound: true }),
      reopen,
      resume,
      handedOver,
      detach,
      end,
      find,
      after,
      changes,
    }
  })

/** A session to open. */
interface Opening {
  /** The connection that it is attached to. */
  readonly holder: Holder | undefined
  /** It ends with its connection. */
  readonly bound?: boolean
  /** Its place in a fleet, if a router has found one. */
  readonly place?: Place | undefined
  /** Its id, if it has one already. */
  readonly id?: string
}

/** Tells who has found the place that the session is there, and when it is over. */
const taking = (place: Place, entry: OpenSession, end: Effect.Effect<void>): Effect.Effect<void> => {
  const over = Effect.suspend(() => entry.holder?.over ?? Effect.void)
  const ended = Scope.addFinalizer(entry.scope, Effect.sync(place.ended))
  return Effect.map(ended, () => place.opened(Effect.andThen(end, over)))
}

const finding =
  (table: ReadonlyMap<string, OpenSession>, numbered: Numbered<OpenSession>): SessionRegistry["find"] =>
  (session) => {
    if (typeof session === "string") return table.get(session)
    const [first] = numbered.after(session - 1)
    return first?.number === session ? first : undefined
  }

const handing =
  (table: ReadonlyMap<string, OpenSession>): SessionRegistry["handedOver"] =>
  ({ id }) => {
    const entry = table.get(id)
    if (entry !== undefined && entry.leaving.length > 0) letGo(entry)
  }

/** One synchronous step: an interrupted caller has either not resumed the session, or can detach it. */
const resuming =
  (table: ReadonlyMap<string, OpenSession>): SessionRegistry["resume"] =>
  (id, holder, takeover = false) =>
    Effect.suspend(() => {
      const entry = table.get(id)
      if (entry === undefined) return Effect.fail(new SessionError({ reason: "Unknown", sessionId: id }))
      return attach(entry, holder, takeover)
        ? Effect.succeed(entry.session)
        : Effect.fail(new SessionError({ reason: "Attached", sessionId: id }))
    })

/** Attaches a session; false if another holder has it, and it is not to be taken over. */
const attach = (entry: OpenSession, holder: Holder, takeover: boolean): boolean => {
  const { detachment, holder: before, session, leaving } = entry
  if (detachment === undefined && (before === undefined || !takeover)) return false
  entry.detachment = undefined
  entry.holder = holder
  if (before !== undefined) leaving.push(before.taken(session))
  return true
}

/** No connection of before holds output of the processes any longer. */
const letGo = ({ leaving, session }: OpenSession): void => {
  for (const leave of leaving.splice(0)) leave()
  session.processes.release()
}

/** Ends a session when its time to live is over and none of its processes is kept. */
const expire = (
  entry: OpenSession,
  detachment: object,
  detachedMillis: number,
  end: (session: Session) => Effect.Effect<void>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(detachedMillis)
    // While no door is open no client can come, so the time begins anew.
    while (entry.place !== undefined && (yield* entry.place.unreachable)) yield* Effect.sleep(detachedMillis)
    yield* entry.session.processes.noneKept
    // The session was resumed meanwhile, and perhaps detached again.
    if (entry.detachment !== detachment) return
    yield* Effect.annotateLogs(Effect.logDebug("session expired"), { session: entry.session.id })
    yield* end(entry.session)
  })
