/**
 * The tools that a language model calls to run commands: `exec_command` starts one and waits for it, `write_stdin`
 * writes to it and waits again, `read_output` reads again what it has printed, `read_screen`, `list_commands` and
 * `stop_command` do what they say. The results are the same wherever the processes run.
 *
 * A call returns when the command has exited or what it waits for has come, and no later than its yield time. An
 * interrupted call stops waiting; the command goes on, unless the call says otherwise, and the next call returns its
 * output. The end of the scope kills every command that was started, and
 * what those have left in the background. All time comes through Clock.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { StartOptions } from "../client/StartOptions.ts"
import { utf8 } from "../protocol/Bytes.ts"
import { mostScrollback } from "../features/screen/wire.ts"
import * as Arguments from "./Arguments.ts"
import type { Left } from "./Background.ts"
import * as Command from "./Command.ts"
import type { Commands, Known } from "./Commands.ts"
import { type ExecBackend, nextHexId } from "./ExecBackend.ts"
import * as Listing from "./Listing.ts"
import type * as PlainText from "./PlainText.ts"
import * as Reading from "./Reading.ts"
import { type Reply, screenOf } from "./Reply.ts"
import { notify, Session } from "./Session.ts"
import * as Sessions from "./Sessions.ts"
import * as ToolError from "./ToolError.ts"
import * as Tools from "./Tools.ts"
import * as Truncate from "./Truncate.ts"
import type * as PersistentShell from "./vendor/PersistentShell.ts"
import * as Waiting from "./Waiting.ts"

export type { Run } from "./Sessions.ts"

/** Defaults of the commands, and bounds of the replies. */
export interface Options extends Command.Defaults {
  /** Bounds the output of every reply, besides the `max_output_tokens` of a call. Default: no further bound. */
  readonly cap?: Truncate.Cap
  /**
   * The longest that `write_stdin` without characters, and a call with `wait_for`, may wait, in milliseconds. Default:
   * 300,000 for the one, and 3,600,000 for the other.
   */
  readonly longestPollMillis?: number
  /** The offered tools: `codex` are `exec_command` and `write_stdin` as Codex has them. Default: `all`. */
  readonly tools?: Tools.Offer
  /**
   * The form of output in replies: as it was printed (`raw`), or without ANSI codes, carriage returns, and what those
   * have written over (`plain`); `onOutput` always has it as it was printed. Default: `plain`, and `raw` for the tools
   * of Codex.
   */
  readonly text?: PlainText.Form
  /**
   * The output of each command that is kept for `read_output`, in bytes; of all together eight times that. From
   * 65,536. Default: 8 MiB.
   */
  readonly outputBytes?: number
}

/** The tools, each as a function. */
export interface Runs {
  /** Starts a command. Fails with `Create` or `Wait`, or with `Closed` after the end of the scope. */
  readonly execCommand: Sessions.Run<Tools.ExecCommand>
  /** Writes to a session, or waits for it. Fails with `UnknownSession`, `StdinClosed`, `Write` or `Wait`. */
  readonly writeStdin: Sessions.Run<Tools.WriteStdin>
  /** Reads again what a command has printed. Fails with `UnknownSession` or `Arguments`. */
  readonly readOutput: Sessions.Run<Tools.ReadOutput>
  /** Tells what the terminal of a command shows. Fails with `UnknownSession` or `Screen`. */
  readonly readScreen: Sessions.Run<Tools.ReadScreen>
  /** Tells of the commands. */
  readonly listCommands: Sessions.Run<Tools.ListCommands>
  /** Ends a command: SIGTERM, and SIGKILL after a grace. Fails with `UnknownSession`. */
  readonly stopCommand: Sessions.Run<Tools.StopCommand>
}

/** The tools as effects, over the sessions that they have started. */
export interface UnifiedExec extends Runs {
  /**
   * Runs a tool by its name, with the arguments as the model gave them: an object, or its JSON text. Fails with
   * `UnknownTool` or `Arguments` besides.
   */
  readonly call: (
    name: string,
    ...rest: Parameters<Sessions.Run<unknown>>
  ) => ReturnType<Sessions.Run<unknown>>
  /** The ids of the sessions that `write_stdin` knows, in the order of their last use. */
  readonly sessionIds: Effect.Effect<ReadonlyArray<number>>
  /** The offered tools. */
  readonly offer: Tools.Offer
  /** Their definitions. */
  readonly definitions: ReadonlyArray<Tools.ToolDefinition>
  /**
   * The commands that are known, whether they run or have ended; none for the two tools of Codex.
   *
   * @internal
   */
  readonly commands: Commands
  /**
   * The parts for further tools.
   *
   * @internal
   */
  readonly parts: PersistentShell.Parts
}

/** The tools over a backend. */
export const make = (
  backend: ExecBackend,
  options: Options = {},
): Effect.Effect<UnifiedExec, never, Scope.Scope> =>
  Effect.map(Sessions.make(backend, options), (sessions) => {
    const runs = {
      exec_command: execCommand(backend, sessions, options),
      write_stdin: writeStdin(backend, sessions, options),
      read_output: readOutput(sessions, options),
      read_screen: readScreen(backend, sessions, options),
      list_commands: listCommands(sessions),
      stop_command: stopCommand(sessions),
    }
    const { tools: offer = "all" } = options
    // A model is not offered what the server cannot do.
    const definitions = Tools.toolDefinitions(offer).filter(
      ({ name }) => name !== "read_screen" || backend.environmentInfo.capabilities?.processScreen === true,
    )

    const call: UnifiedExec["call"] = (name, args, watcher) =>
      Effect.suspend(() => {
        const tool = definitions.find((each) => each.name === name)
        if (tool === undefined) return ToolError.unknownTool(name)
        const text = typeof args === "string" ? args : JSON.stringify(args ?? {})
        return Result.match(Arguments.decode(Tools.argumentsOf(tool.name, offer), text), {
          onFailure: ToolError.badArguments,
          // They are those of this tool.
          onSuccess: (decoded) => runs[tool.name](decoded as never, watcher),
        })
      })

    return {
      execCommand: runs.exec_command,
      writeStdin: runs.write_stdin,
      readOutput: runs.read_output,
      readScreen: runs.read_screen,
      listCommands: runs.list_commands,
      stopCommand: runs.stop_command,
      call,
      sessionIds: Effect.sync(() => sessions.table.all.map(({ id }) => id)),
      offer,
      definitions,
      commands: sessions.commands,
      parts: { backend, calls: sessions, defaults: options },
    }
  })

/** The tool `exec_command`: starts a command in a session of its own, waits for it, and replies. */
const execCommand = (
  backend: ExecBackend,
  { table, owned, add, inTurn, collect, begin, stopper, background }: Sessions.Sessions,
  options: Options,
): Sessions.Run<Tools.ExecCommand> => {
  const { capabilities } = backend.environmentInfo
  /** The server keeps the deadline where it can. */
  const serverKeepsTime = capabilities?.processDeadlines === true

  const start = (id: number, args: Tools.ExecCommand) =>
    Effect.gen(function* () {
      // The session id is for readers of the server's logs; the rest makes the process id unique on the server.
      const processId = `${id}-${yield* nextHexId}`
      const usual: StartOptions = Command.toStart(args, options, backend.environmentInfo)
      const command = { ...usual, env: { ...usual.env, ...background.mark(id) } }
      const deadline = serverKeepsTime ? deadlineOf(args) : undefined
      const timed = deadline === undefined ? command : { ...command, timeoutMs: deadline }
      return yield* backend.startSubscribed({ ...timed, processId })
    }).pipe(Effect.mapError(ToolError.notCreated))

  const waitFor = (session: Session, args: Tools.ExecCommand, waiting: Waiting.Waiting | undefined) => {
    if (waiting !== undefined) return collect(session, Waiting.run(session, waiting, 0), args)
    const millis = Waiting.clamp(args.yield_time_ms ?? Waiting.yieldMillis.usual, Waiting.yieldMillis)
    const early = Waiting.untilExit(session, Waiting.earlyExitMillis)
    return Effect.andThen(early, collect(session, Waiting.untilEnd(session, millis), args))
  }

  return (args, watcher) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (owned.ended()) return yield* ToolError.closed()
        const read = Waiting.read(args, capabilities, options.longestPollMillis)
        if (Result.isFailure(read)) return yield* ToolError.cannotWait("exec_command", read.failure)
        const id = yield* table.reserve
        const subscribed = yield* Effect.onError(restore(start(id, args)), () =>
          Effect.sync(() => table.free(id)),
        )
        const about = { id, tty: args.tty ?? false, command: args.cmd }
        const session = new Session(about, subscribed, undefined, begin(about))
        yield* add(session)
        const deadline = deadlineOf(args)
        if (deadline !== undefined && !serverKeepsTime) yield* stopper.deadline(session, deadline)
        notify(watcher?.onSession, id)
        const call = inTurn(session, watcher, waitFor(session, args, read.success))
        return yield* Effect.onInterrupt(restore(call), () =>
          args.kill_on_cancel === true ? stopper.stop(session, "cancel") : Effect.void,
        )
      }),
    )
}

/** In milliseconds, at least the one that a server takes. */
const deadlineOf = ({ timeout_ms }: Tools.ExecCommand): number | undefined =>
  timeout_ms === undefined ? undefined : Math.max(1, Number(timeout_ms))

/** Ctrl-C. With a terminal it is written like any character; without one it sends SIGINT. */
const interrupt = "\u0003"

/** The tool `write_stdin`: writes to the command of a session, or only waits for it, and replies. */
const writeStdin = (
  { environmentInfo }: ExecBackend,
  { table, whyUnknown, owned, inTurn, collect, stopper }: Sessions.Sessions,
  { longestPollMillis }: Options,
): Sessions.Run<Tools.WriteStdin> => {
  /** Writes the characters. Characters that the process does not read in time stay in flight. */
  const write = (session: Session, chars: string, millis: number, waits: boolean) =>
    Effect.gen(function* () {
      const { tty, process } = session
      if (!tty && chars !== interrupt) return yield* ToolError.stdinClosed()
      if (session.over) return
      const sending = yield* owned.background(
        Effect.result(tty ? process.write(utf8.encode(chars)) : process.interrupt),
      )
      const sent = yield* Waiting.untilDone(sending, millis)
      if (sent !== undefined && Result.isFailure(sent)) {
        // A process that is exiting refuses input: the reply then reports the exit, not the refusal.
        yield* Waiting.untilExit(session, Waiting.earlyExitMillis)
        if (!session.over) return yield* ToolError.notWritten(sent.failure)
      } else if (tty && !waits) yield* Effect.sleep(Waiting.afterWriteMillis)
    })

  return (args, watcher) =>
    Effect.suspend(() => {
      const { yieldMillis, pollMillis } = Waiting
      const { session_id: id, yield_time_ms: asked = yieldMillis.least } = args
      const chars = args.chars ?? ""
      const session = table.use(id)
      if (session === undefined) return ToolError.unknownSession(id, whyUnknown(id))
      const read = Waiting.read(args, environmentInfo.capabilities, longestPollMillis)
      if (Result.isFailure(read)) return ToolError.cannotWait("write_stdin", read.failure)
      const waiting = read.success
      const bounds =
        chars === "" ? { ...pollMillis, most: longestPollMillis ?? pollMillis.most } : yieldMillis
      const millis = Waiting.clamp(asked, bounds)
      const call = Effect.gen(function* () {
        // The call before this one may have reported the exit and removed the session.
        if (!table.has(session)) return yield* ToolError.unknownSession(id)
        if (args.timeout_ms !== undefined) yield* stopper.deadline(session, Number(args.timeout_ms))
        // Output from before the characters is no answer to them.
        const afterSeq = chars === "" ? session.repliedSeq : session.lastSeq
        if (chars !== "") yield* write(session, chars, millis, waiting !== undefined)
        const wait =
          waiting === undefined ? Waiting.untilEnd(session, millis) : Waiting.run(session, waiting, afterSeq)
        return yield* collect(session, wait, args)
      })
      session.callers += 1
      notify(watcher?.onSession, id)
      return Effect.onInterrupt(inTurn(session, watcher, call), () =>
        args.kill_on_cancel === true ? stopper.stop(session, "cancel") : Effect.void,
      )
    })
}

/** The tool `read_output`: reads again what a command has printed, and takes nothing from the next reply. */
const readOutput =
  (
    { commands }: Sessions.Sessions,
    { cap, tools, text: form = Sessions.formOf(tools) }: Options,
  ): Sessions.Run<Tools.ReadOutput> =>
  (args) =>
    Effect.gen(function* () {
      const known = commands.get(args.session_id)
      if (known === undefined)
        return yield* ToolError.unknownCommand("read_output", args.session_id, commands)
      const budget = Truncate.budgetOf(Number(args.max_output_tokens ?? Sessions.defaultMaxTokens), cap)
      const read = Reading.read(known.transcript, args, budget, form)
      if (Result.isFailure(read)) return yield* ToolError.badArguments(read.failure)
      const { excerpt, text, rest } = read.success
      return yield* atOnce(text, excerpt.bytes, {
        ...stateOf(known),
        excerpt,
        ...(rest === undefined ? {} : { rest }),
      })
    })

/** A reply without a wait, to output of so many bytes. */
const atOnce = (output: string, bytes: number, facts: Partial<Reply>): Effect.Effect<Reply> =>
  Effect.map(nextHexId, (chunkId) => ({
    ...facts,
    chunkId,
    wallSeconds: 0,
    originalTokenCount: Truncate.tokensOf(bytes),
    output,
  }))

const stateOf = ({ about, state }: Known): Pick<Reply, "sessionId" | "exitCode" | "failure"> =>
  state.kind === "running"
    ? { sessionId: about.id }
    : state.kind === "exited"
      ? { exitCode: state.exitCode }
      : { failure: state.failure }

/** The tool `read_screen`: what the terminal of a running command shows. */
const readScreen =
  (
    { environmentInfo }: ExecBackend,
    { table, commands }: Sessions.Sessions,
    { cap }: Options,
  ): Sessions.Run<Tools.ReadScreen> =>
  (args) =>
    Effect.gen(function* () {
      const { session_id: id } = args
      const known = commands.get(id)
      if (known === undefined) return yield* ToolError.unknownCommand("read_screen", id, commands)
      if (!known.about.tty) return yield* ToolError.noTerminal(id)
      if (environmentInfo.capabilities?.processScreen !== true) return yield* ToolError.noScreens()
      const session = table.use(id)
      if (session === undefined) return yield* ToolError.noScreenAnyMore(id)
      const scrollback = Math.min(Number(args.scrollback ?? 0), mostScrollback)
      const picture = yield* Effect.mapError(session.process.screen({ scrollback }), ToolError.noScreen)
      const { text = "" } = picture
      const total = utf8.encode(text).length
      const most = Number(args.max_output_tokens ?? Sessions.defaultMaxTokens)
      const shown = Truncate.shown({ head: text, tail: "", omitted: 0, total }, most, cap)
      return yield* atOnce(shown, total, { ...stateOf(known), screen: screenOf(id, picture) })
    })

/**
 * The tool `list_commands`: tells of the commands that run, of those that have ended and are still known, and of what
 * those have left in the background.
 */
const listCommands =
  ({ commands, background }: Sessions.Sessions): Sessions.Run<Tools.ListCommands> =>
  ({ running }) =>
    Effect.flatMap(background.look, (left) => {
      const all = Listing.ofAll(commands.all, left)
      // Processes that a command has left run, too.
      const listed = all.filter(
        (each) => running !== true || each.state === "running" || each.left !== undefined,
      )
      const output = Listing.toText(listed)
      return atOnce(output, output.length, { commands: listed })
    })

/** The longest time from a kill to the known exit, in milliseconds. */
const afterKillMillis = 5_000

/**
 * The tool `stop_command`: SIGTERM, SIGKILL of what is left after a grace, and the last output. It ends also what the
 * command has left in the background, be the command over or not.
 */
const stopCommand =
  ({
    table,
    commands,
    inTurn,
    collect,
    stopper,
    background,
  }: Sessions.Sessions): Sessions.Run<Tools.StopCommand> =>
  (args, watcher) =>
    Effect.suspend(() => {
      const { session_id: id } = args
      const known = commands.get(id)
      const session = table.use(id)
      const grace = Math.min(Number(args.grace_ms ?? Sessions.graceMillis.usual), Sessions.graceMillis.most)
      if (session === undefined) {
        return Effect.flatMap(background.stop(id, grace), (left) =>
          known === undefined && left.length === 0
            ? ToolError.unknownCommand("stop_command", id, commands)
            : alreadyOver(known, left),
        )
      }
      if (known === undefined) return ToolError.unknownCommand("stop_command", id, commands)
      const wait = Waiting.untilEnd(session, grace + afterKillMillis)
      // Another call may have reported the end meanwhile.
      const call = Effect.suspend(() =>
        table.has(session) ? collect(session, wait, args) : alreadyOver(known, []),
      )
      session.callers += 1
      notify(watcher?.onSession, id)
      // A call that waits for the session has its turn, and ends only when the command does.
      const stopped = Effect.andThen(stopper.stop(session, "stop", grace), inTurn(session, watcher, call))
      // The stop of the group does not reach processes that have left it.
      return Effect.zipWith(stopped, background.stop(id, grace), withLeft)
    })

/** The reply, with a notice of the processes in the background that were ended. */
const withLeft = (reply: Reply, left: ReadonlyArray<Left>): Reply =>
  left.length === 0 ? reply : { ...reply, notices: [...(reply.notices ?? []), ended(left)] }

const ended = (left: ReadonlyArray<Left>): string =>
  ["Ended what the command had left in the background:", ...left.map(Listing.leftToText)].join("\n")

/** The command has ended before, and there is no output that was in no reply. */
const alreadyOver = (known: Known | undefined, left: ReadonlyArray<Left>): Effect.Effect<Reply> =>
  Effect.map(atOnce("", 0, known === undefined ? {} : stateOf(known)), (reply) => {
    if (left.length > 0) return withLeft(reply, left)
    return known?.stopping === undefined
      ? { ...reply, notices: ["The command had ended before."] }
      : { ...reply, endedBy: known.stopping }
  })
