/**
 * What a language model calls to run commands: `exec_command` starts one and waits a little for it,
 * `write_stdin` writes to it and waits again. The same results wherever the processes run.
 *
 * A call returns when the command has exited, at the latest after its yield time. An interrupted call stops
 * waiting; the command goes on, and its output stays for the next call. The end of the scope kills every
 * command that was started. All time is the Clock's.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { utf8 } from "../protocol/Bytes.ts"
import * as Arguments from "./Arguments.ts"
import * as Command from "./Command.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as OwnedSessions from "./OwnedSessions.ts"
import * as HexId from "./HexId.ts"
import type { Reply } from "./Reply.ts"
import { Session, tell, type Watcher } from "./Session.ts"
import { SessionTable } from "./SessionTable.ts"
import * as ToolError from "./ToolError.ts"
import * as Tools from "./Tools.ts"
import * as Truncate from "./Truncate.ts"
import * as SessionWait from "./SessionWait.ts"

export interface Options extends Command.Defaults {
  /** A second bound on the output of every reply. */
  readonly cap?: Truncate.Cap
  /** The longest that a call of `write_stdin` without characters may wait; default: 300 seconds. */
  readonly longestPollMillis?: number
}

/** Runs a tool. */
export type Run<Args> = (args: Args, watcher?: Watcher) => Effect.Effect<Reply, ToolError.ToolError>

export interface UnifiedExec {
  readonly execCommand: Run<Tools.ExecCommand>
  readonly writeStdin: Run<Tools.WriteStdin>
  /** A tool by its name, with the arguments as the model gave them: an object, or its JSON text. */
  readonly call: (name: string, ...rest: Parameters<Run<unknown>>) => ReturnType<Run<unknown>>
  /** The ids of the sessions that can be asked for, the one used last at the end. */
  readonly sessionIds: Effect.Effect<ReadonlyArray<number>>
}

/** Ctrl-C: with a terminal a character like others, without one a signal. */
const interrupt = "\u0003"

const defaultMaxTokens = 10_000

/** The tools over a backend. */
export const make = (
  backend: ExecBackend,
  options: Options = {},
): Effect.Effect<UnifiedExec, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessions = new SessionTable<Session>()
    const { ended, follow, kill, background } = yield* OwnedSessions.make

    const store = (session: Session) => {
      const victim = sessions.add(session)
      session.callers += 1
      victim?.release()
      const begun = follow(session)
      return victim === undefined ? begun : Effect.zipRight(begun, kill(victim))
    }

    const start = (id: number, args: Tools.ExecCommand) =>
      Effect.gen(function* () {
        // The number is for who reads the server's logs; the rest keeps it unique on the server.
        const processId = `${id}-${yield* HexId.next}`
        const wanted = Command.toStart(args, options, backend.environmentInfo)
        return yield* backend.startSubscribed({ ...wanted, processId })
      }).pipe(Effect.mapError((error) => ToolError.notCreated(error.message, error)))

    /** What has come, and what has become of the process. */
    const reply = (
      session: Session,
      facts: Pick<Reply, "chunkId" | "wallSeconds">,
      maxTokens = defaultMaxTokens,
    ): Reply => {
      const { id, over, exitCode, failure } = session
      const taken = session.buffer.take(over)
      if (over) {
        sessions.remove(session)
        session.release()
      }
      return {
        ...facts,
        ...(failure !== undefined ? { failure } : exitCode !== undefined ? { exitCode } : { sessionId: id }),
        originalTokenCount: Truncate.tokensOf(taken.total),
        output: Truncate.shown(taken, Number(maxTokens), options.cap),
      }
    }

    /** Waits for the session, then answers. There is no pause between, so nothing is taken in vain. */
    const collect = (session: Session, millis: number, args: Tools.MaxOutputTokens) =>
      Effect.gen(function* () {
        const chunkId = yield* HexId.next
        const start = yield* Clock.currentTimeNanos
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            yield* restore(SessionWait.forEnd(session, millis))
            const wallSeconds = Number((yield* Clock.currentTimeNanos) - start) / 1e9
            return reply(session, { chunkId, wallSeconds }, args.max_output_tokens ?? undefined)
          }),
        )
      })

    /** One call at a time, while the session counts as used. */
    const inTurn = <E>(session: Session, watcher: Watcher | undefined, call: Effect.Effect<Reply, E>) =>
      session.turn
        .withPermits(1)(session.watched(watcher, call))
        .pipe(Effect.ensuring(Effect.sync(() => (session.callers -= 1))))

    const execCommand: Run<Tools.ExecCommand> = (args, watcher) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          if (ended()) return yield* ToolError.closed()
          const id = yield* sessions.reserve
          const subscribed = yield* Effect.onError(restore(start(id, args)), () =>
            Effect.sync(() => sessions.free(id)),
          )
          const session = new Session(id, args.tty ?? false, subscribed)
          yield* store(session)
          tell(watcher?.onSession, id)
          const millis = SessionWait.clamp(
            args.yield_time_ms ?? SessionWait.yieldMillis.usual,
            SessionWait.yieldMillis,
          )
          const early = SessionWait.forExit(session, SessionWait.earlyExitMillis)
          const call = Effect.zipRight(early, collect(session, millis, args))
          return yield* restore(inTurn(session, watcher, call))
        }),
      )

    /** Brings the characters to the process. What it does not read in time stays on its way. */
    const write = (session: Session, chars: string, millis: number) =>
      Effect.gen(function* () {
        const { tty, process } = session
        if (!tty && chars !== interrupt) return yield* ToolError.stdinClosed()
        if (session.over) return
        const sending = yield* background(
          Effect.either(tty ? process.write(utf8.encode(chars)) : process.interrupt),
        )
        const sent = yield* SessionWait.forFiber(sending, millis)
        if (sent !== undefined && Either.isLeft(sent)) {
          // What exits meanwhile takes no input: that is told as its exit.
          yield* SessionWait.forExit(session, SessionWait.earlyExitMillis)
          if (!session.over) return yield* ToolError.notWritten(sent.left)
        } else if (tty) yield* Effect.sleep(SessionWait.afterWriteMillis)
      })

    const writeStdin: Run<Tools.WriteStdin> = (args, watcher) =>
      Effect.suspend(() => {
        const { session_id: id, yield_time_ms: asked = SessionWait.yieldMillis.least } = args
        const chars = args.chars ?? ""
        const session = sessions.use(id)
        if (session === undefined) return ToolError.unknownSession(id)
        const longest = options.longestPollMillis ?? SessionWait.pollMillis.most
        const bounds = chars === "" ? { ...SessionWait.pollMillis, most: longest } : SessionWait.yieldMillis
        const millis = SessionWait.clamp(asked, bounds)
        const call = Effect.gen(function* () {
          // Whoever had the turn before may have taken the last of it.
          if (!sessions.has(session)) return yield* ToolError.unknownSession(id)
          if (chars !== "") yield* write(session, chars, millis)
          return yield* collect(session, millis, args)
        })
        session.callers += 1
        tell(watcher?.onSession, id)
        return inTurn(session, watcher, call)
      })

    const call: UnifiedExec["call"] = (name, args, watcher) =>
      Effect.suspend(() => {
        const text = typeof args === "string" ? args : JSON.stringify(args ?? {})
        switch (name) {
          case "exec_command":
            return Effect.flatMap(Arguments.decode(Tools.ExecCommand, text), (decoded) =>
              execCommand(decoded, watcher),
            )
          case "write_stdin":
            return Effect.flatMap(Arguments.decode(Tools.WriteStdin, text), (decoded) =>
              writeStdin(decoded, watcher),
            )
          default:
            return ToolError.unknownTool(name)
        }
      }).pipe(Effect.mapError((error) => (typeof error === "string" ? ToolError.badArguments(error) : error)))

    return { execCommand, writeStdin, call, sessionIds: Effect.sync(() => sessions.all.map(({ id }) => id)) }
  })
