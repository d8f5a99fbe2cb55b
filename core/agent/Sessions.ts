/**
 * The sessions of one set of tools, and what the tools do with them: wait for their turn, wait for output, reply, end
 * their commands.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Background from "./Background.ts"
import { Commands, type Known, type Stopping } from "./Commands.ts"
import { type ExecBackend, nextHexId, type Server } from "./ExecBackend.ts"
import * as Notices from "./Notices.ts"
import * as PlainText from "./PlainText.ts"
import type { Reply } from "./Reply.ts"
import * as Reading from "./Reading.ts"
import type { About, Session, Watcher } from "./Session.ts"
import { EndedSessions, SessionTable } from "./SessionTable.ts"
import type { ToolError } from "./ToolError.ts"
import type { MaxOutputTokens, Offer } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"
import type { WaitEnd } from "./WaitFor.ts"

/** Runs a tool with decoded arguments. `watcher` hears of the session and its output while the call lasts. */
export type Run<Args> = (args: Args, watcher?: Watcher) => Effect.Effect<Reply, ToolError>

/** Options of the sessions. */
export interface Options {
  /** Bounds the output of every reply, besides what its caller asks for. */
  readonly cap?: Truncate.Cap
  /** The offered tools. */
  readonly tools?: Offer
  /** The form of output. */
  readonly text?: PlainText.Form
  /** The kept output of each command, in bytes. */
  readonly outputBytes?: number
}

/** The most tokens of a reply to a call that names no bound. */
export const defaultMaxTokens = 10_000

/** The form of output that a model gets by default: the tools of Codex print as they do there. */
export const formOf = (tools: Offer = "all"): PlainText.Form => (tools === "codex" ? "raw" : "plain")

const killDeadline = "5 seconds"

/**
 * The sessions that a scope owns: their output is read in the background, and the end of the scope kills their
 * commands. Background processes of commands that have exited are up to `Background`.
 */
export const owned = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** The sessions whose commands run, whether `write_stdin` still knows them or not. */
  const alive = new Set<Session>()
  const terminate = ({ process }: Session) => Effect.ignore(process.terminate)
  /** Runs an effect in the scope: interrupting the caller does not stop it. */
  const background = <A>(effect: Effect.Effect<A>) => Effect.forkIn(Effect.interruptible(effect), scope)

  let ended = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      ended = true
      return Effect.forEach(alive, terminate, { concurrency: "unbounded", discard: true })
    }).pipe(Effect.interruptible, Effect.timeoutOption(killDeadline)),
  )

  const live = (session: Session) =>
    session.run.pipe(
      Effect.andThen(Effect.ignore(session.process.exitCode)),
      Effect.andThen(Effect.sync(() => alive.delete(session))),
    )

  return {
    /** True after the end of the scope: nothing may be started. */
    ended: () => ended,
    background,
    /** Reads the session's events from now on. */
    follow: (session: Session): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (ended) {
          // The scope ended while the command was being started.
          session.release()
          return terminate(session)
        }
        alive.add(session)
        return Effect.asVoid(background(live(session)))
      }),
    /** Kills the session's process, without waiting for it. */
    kill: (session: Session) => Effect.asVoid(background(terminate(session))),
  }
})

/** The grace of a stop in milliseconds: the default, and the longest. */
export const graceMillis = { usual: 5_000, most: 60_000 }

/**
 * Ends commands: SIGTERM, and SIGKILL of what is left after a grace. The server keeps the time where it can; where it
 * cannot, the tools do, and the command is killed at once if it knows no SIGTERM either.
 */
const makeStopper = (
  { background }: Effect.Success<typeof owned>,
  commands: Commands,
  server: Server = {},
) => {
  const deadlines = new WeakMap<Session, object>()

  const ask = ({ process, exited }: Session, grace: number) => {
    if (server.processDeadlines === true) return process.end({ graceMs: grace })
    if (server.processSignals !== true) return process.terminate
    const killed = Effect.andThen(Effect.timeoutOption(exited.await, grace), process.terminate)
    return Effect.andThen(process.signal("terminate"), killed)
  }

  /** Asks a command to end, in the background. One that is over is left alone. */
  const stop = (session: Session, why: Stopping, grace = graceMillis.usual): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (session.over) return Effect.void
      const known = commands.get(session.id)
      if (known !== undefined) known.stopping ??= why
      return Effect.asVoid(background(Effect.ignore(ask(session, grace))))
    })

  /** Stops it after so many milliseconds, unless another deadline is set. */
  const deadline = (session: Session, millis: number) =>
    Effect.suspend(() => {
      const own = {}
      deadlines.set(session, own)
      const late = Effect.suspend(() =>
        deadlines.get(session) === own ? stop(session, "timeout") : Effect.void,
      )
      const passed = Effect.timeoutOption(session.exited.await, millis)
      return Effect.asVoid(background(Effect.andThen(passed, late)))
    })

  return { stop, deadline }
}

/** The end of the scope also kills what the commands have left in the background. */
export const make = (backend: ExecBackend, options: Options) =>
  Effect.gen(function* () {
    const { cap, tools = "all", text: form = formOf(tools), outputBytes } = options
    const background = yield* Background.make(backend)
    // Finalizers run in reverse: the commands are killed before.
    yield* Effect.addFinalizer(() => Effect.interruptible(background.kill))
    const commands = new Commands(yield* Clock.Clock, outputBytes)
    const table = new SessionTable<Session>()
    const ended = new EndedSessions()
    const own = yield* owned

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
      if (known !== undefined) known.replied += taken.total
      session.repliedSeq = session.lastSeq
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
      owned: own,
      /** The commands whose output can be read again. */
      commands,
      /** Makes a command known, whose session tells it of its output; not for the two tools of Codex. */
      begin: (about: About): Known | undefined => (tools === "all" ? commands.begin(about) : undefined),
      stopper: makeStopper(own, commands, backend.environmentInfo.capabilities),
      background,
      /** Why a session is not in the table any more, if it was removed for another one. */
      whyUnknown: (id: number) => ended.why(id),
      /**
       * Adds a session; if the table is full, another one is removed and its command killed. The first reply of the new
       * one says so.
       */
      add: (session: Session) =>
        Effect.gen(function* () {
          const victim = table.add(session)
          session.callers += 1
          ended.forget(session.id)
          if (victim === undefined) return yield* own.follow(session)
          session.notices = [Notices.ended(victim)]
          const now = yield* Clock.currentTimeMillis
          ended.add(victim.id, Notices.whyUnknown(victim, now, session.id))
          victim.release()
          yield* own.follow(session)
          yield* own.kill(victim)
        }),
      /** Runs a call of a caller that `session.callers` counts, after those that came before it. */
      inTurn: <E>(session: Session, watcher: Watcher | undefined, call: Effect.Effect<Reply, E>) =>
        session
          .turn(session.watched(watcher, call))
          .pipe(Effect.ensuring(Effect.sync(() => (session.callers -= 1)))),
      /** Waits, and replies; the wait tells how it has ended if it was one for something. */
      collect: <E>(session: Session, wait: Effect.Effect<WaitEnd | void, E>, args: MaxOutputTokens) =>
        Effect.gen(function* () {
          const chunkId = yield* nextHexId
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

/** The sessions of one set of tools. */
export type Sessions = Effect.Success<ReturnType<typeof make>>

/** The call for the part of the output since the last reply that its text lacks. */
const restOf = (
  { about, transcript, replied }: Known,
  { from, to }: { readonly from: number; readonly to: number },
) => Reading.ofBytes(about.id, { from: replied + from, to: replied + to }, transcript.begin)
