/**
 * The sessions of one set of tools, and what the tools do with them: wait for their turn, wait for output, reply.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Background from "./Background.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import { Commands, type Known } from "./Commands.ts"
import { EndedSessions } from "./EndedSessions.ts"
import * as HexId from "./HexId.ts"
import * as Notices from "./Notices.ts"
import * as OwnedSessions from "./OwnedSessions.ts"
import * as PlainText from "./PlainText.ts"
import type { Reply } from "./Reply.ts"
import * as Rest from "./Rest.ts"
import type { About, Session, Watcher } from "./Session.ts"
import { SessionTable } from "./SessionTable.ts"
import * as Stopping from "./Stopping.ts"
import type { ToolError } from "./ToolError.ts"
import type { MaxOutputTokens, Offer } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"
import type { WaitEnd } from "./WaitFor.ts"

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
  /** Waits, and replies; the wait tells how it has ended if it was one for something. */
  readonly collect: <E>(
    session: Session,
    wait: Effect.Effect<WaitEnd | void, E>,
    args: MaxOutputTokens,
  ) => Effect.Effect<Reply, E>
  /** The commands whose output can be read again. */
  readonly commands: Commands
  /** Makes a command known, whose session tells it of its output; not for the two tools of Codex. */
  readonly begin: (about: About) => Known | undefined
  readonly stopper: Stopping.Stopper
  /** What commands leave in the background. */
  readonly background: Background.Background
}

/** What the sessions are made with. */
export interface Options {
  /** Bounds the output of every reply, besides what its caller asks for. */
  readonly cap?: Truncate.Cap
  /** Which tools there are. */
  readonly tools?: Offer
  /** The form of output. */
  readonly text?: PlainText.Form
  /** How much output of each command is kept, in bytes. */
  readonly outputBytes?: number
}

/** The most tokens of a reply to a call that names no bound. */
export const defaultMaxTokens = 10_000

/** The form of output that a model gets by default: the tools of Codex print as they do there. */
export const formOf = (tools: Offer = "all"): PlainText.Form => (tools === "codex" ? "raw" : "plain")

/** The end of the scope also kills what the commands have left in the background. */
export const make = (
  backend: ExecBackend,
  options: Options,
): Effect.Effect<SessionCalls, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { cap, tools = "all", text: form = formOf(tools), outputBytes } = options
    const background = yield* Background.make(backend)
    // Finalizers run in reverse: the commands are killed before.
    yield* Effect.addFinalizer(() => Effect.interruptible(background.kill))
    const commands = new Commands(yield* Effect.clock, outputBytes)
    const table = new SessionTable<Session>()
    const ended = new EndedSessions()
    const owned = yield* OwnedSessions.make

    /** Takes the output of the session. A session that is over is removed. */
    const reply = (
      session: Session,
      facts: Pick<Reply, "chunkId" | "wallSeconds">,
      maxTokens = defaultMaxTokens,
      wait: WaitEnd | undefined = undefined,
    ): Reply => {
      const { id, over, exitCode, failure } = session
      const taken = PlainText.taken(session.buffer.take(over, form), form)
      const { text, missing } = Truncate.cut(taken, Number(maxTokens), cap)
      const known = commands.get(id)
      const rest = known && missing && restOf(known, missing)
      if (known !== undefined) known.told += taken.total
      session.toldSeq = session.lastSeq
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
        output: text,
        ...(notices.length === 0 ? {} : { notices }),
        ...(wait === undefined ? {} : { wait }),
        ...(over && known?.stopping !== undefined ? { endedBy: known.stopping } : {}),
        ...(rest === undefined ? {} : { rest }),
      }
    }

    return {
      table,
      owned,
      commands,
      begin: (about) => (tools === "all" ? commands.begin(about) : undefined),
      stopper: Stopping.make(owned, commands, backend.environmentInfo.capabilities),
      background,
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
        session
          .turn(session.watched(watcher, call))
          .pipe(Effect.ensuring(Effect.sync(() => (session.callers -= 1)))),
      collect: (session, wait, args) =>
        Effect.gen(function* () {
          const chunkId = yield* HexId.next
          const start = yield* Clock.currentTimeNanos
          // Only the wait may be interrupted: output that was taken must reach the caller.
          return yield* Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const end = (yield* restore(wait)) ?? undefined
              const wallSeconds = Number((yield* Clock.currentTimeNanos) - start) / 1e9
              return reply(session, { chunkId, wallSeconds }, args.max_output_tokens ?? undefined, end)
            }),
          )
        }),
    }
  })

/** What gets the part of the output since the last reply that its text lacks. */
const restOf = (
  { about, transcript, told }: Known,
  { from, to }: { readonly from: number; readonly to: number },
) => Rest.ofBytes(about.id, { from: told + from, to: told + to }, transcript.begin)
