/**
 * The sessions of one set of tools, and what both tools do with them: wait for their turn, wait for output, reply.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { EndedSessions } from "./EndedSessions.ts"
import * as HexId from "./HexId.ts"
import * as Notices from "./Notices.ts"
import * as OwnedSessions from "./OwnedSessions.ts"
import type { Reply } from "./Reply.ts"
import type { Session, Watcher } from "./Session.ts"
import { SessionTable } from "./SessionTable.ts"
import * as SessionWait from "./SessionWait.ts"
import type { ToolError } from "./ToolError.ts"
import type { MaxOutputTokens } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"

/** Runs a tool with decoded arguments. `watcher` is told of the session and its output while the call lasts. */
export type Run<Args> = (args: Args, watcher?: Watcher) => Effect.Effect<Reply, ToolError>

export interface SessionCalls {
  readonly table: SessionTable<Session>
  readonly owned: OwnedSessions.OwnedSessions
  /** Why a session is not in the table any more, if it was removed for another one. */
  readonly whyUnknown: (id: number) => string | undefined
  /**
   * Adds a session; if the table is full, another one is removed and its command killed. The first reply of the new one
   * says so.
   */
  readonly add: (session: Session) => Effect.Effect<void>
  /** Runs a call of a caller that `session.callers` counts, after those that came before it. */
  readonly inTurn: <E>(
    session: Session,
    watcher: Watcher | undefined,
    call: Effect.Effect<Reply, E>,
  ) => Effect.Effect<Reply, E>
  /** Waits for the end of the session, for at most so many milliseconds, and replies. */
  readonly collect: (session: Session, millis: number, args: MaxOutputTokens) => Effect.Effect<Reply>
}

const defaultMaxTokens = 10_000

/** `cap` bounds the output of every reply, besides what its caller asks for. */
export const make = (cap?: Truncate.Cap): Effect.Effect<SessionCalls, never, Scope.Scope> =>
  Effect.gen(function* () {
    const table = new SessionTable<Session>()
    const ended = new EndedSessions()
    const owned = yield* OwnedSessions.make

    /** Takes the output of the session. A session that is over is removed. */
    const reply = (
      session: Session,
      facts: Pick<Reply, "chunkId" | "wallSeconds">,
      maxTokens = defaultMaxTokens,
    ): Reply => {
      const { id, over, exitCode, failure } = session
      const taken = session.buffer.take(over)
      const notices = [...session.notices]
      session.notices = []
      if (exitCode !== undefined && !session.complete) notices.push(Notices.outlived)
      if (over) {
        table.remove(session)
        session.release()
      }
      return {
        ...facts,
        ...(failure !== undefined ? { failure } : exitCode !== undefined ? { exitCode } : { sessionId: id }),
        originalTokenCount: Truncate.tokensOf(taken.total),
        output: Truncate.shown(taken, Number(maxTokens), cap),
        ...(notices.length === 0 ? {} : { notices }),
      }
    }

    return {
      table,
      owned,
      whyUnknown: (id) => ended.why(id),
      add: (session) =>
        Effect.gen(function* () {
          const victim = table.add(session)
          session.callers += 1
          ended.forget(session.id)
          if (victim === undefined) return yield* owned.follow(session)
          session.notices = [Notices.ended(victim)]
          const now = yield* Clock.currentTimeMillis
          ended.add(victim.id, Notices.whyUnknown(victim, now, session.id))
          victim.release()
          yield* owned.follow(session)
          yield* owned.kill(victim)
        }),
      inTurn: (session, watcher, call) =>
        session.turn
          .withPermits(1)(session.watched(watcher, call))
          .pipe(Effect.ensuring(Effect.sync(() => (session.callers -= 1)))),
      collect: (session, millis, args) =>
        Effect.gen(function* () {
          const chunkId = yield* HexId.next
          const start = yield* Clock.currentTimeNanos
          // Only the wait may be interrupted: output that was taken must reach the caller.
          return yield* Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              yield* restore(SessionWait.untilEnd(session, millis))
              const wallSeconds = Number((yield* Clock.currentTimeNanos) - start) / 1e9
              return reply(session, { chunkId, wallSeconds }, args.max_output_tokens ?? undefined)
            }),
          )
        }),
    }
  })
