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
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Arguments from "./Arguments.ts"
import type * as Command from "./Command.ts"
import type { Commands } from "./Commands.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as ExecCommandTool from "./ExecCommandTool.ts"
import * as ListCommandsTool from "./ListCommandsTool.ts"
import type * as PlainText from "./PlainText.ts"
import * as ReadOutputTool from "./ReadOutputTool.ts"
import * as ReadScreenTool from "./ReadScreenTool.ts"
import type { Watcher } from "./Session.ts"
import * as SessionCalls from "./SessionCalls.ts"
import * as StopCommandTool from "./StopCommandTool.ts"
import * as ToolError from "./ToolError.ts"
import * as Tools from "./Tools.ts"
import type * as Truncate from "./Truncate.ts"
import type * as PersistentShell from "./vendor/PersistentShell.ts"
import * as WriteStdinTool from "./WriteStdinTool.ts"

export type { Run } from "./SessionCalls.ts"

/** Defaults of the commands, and bounds of the replies. */
export interface Options extends Command.Defaults {
  /** Bounds the output of every reply, besides the `max_output_tokens` of a call. Default: no further bound. */
  readonly cap?: Truncate.Cap
  /**
   * The longest that `write_stdin` without characters, and a call with `wait_for`, may wait, in milliseconds. Default:
   * 300,000 for the one, and 3,600,000 for the other.
   */
  readonly longestPollMillis?: number
  /** Which tools there are: `codex` are `exec_command` and `write_stdin` as Codex has them. Default: `all`. */
  readonly tools?: Tools.Offer
  /**
   * Whether replies have output as it was printed, or without ANSI codes, carriage returns, and what those have written
   * over; `onOutput` always has it as it was printed. Default: `plain`, and `raw` for the tools of Codex.
   */
  readonly text?: PlainText.Form
  /**
   * How much output of each command is kept for `read_output`, in bytes; of all together eight times that. From 65,536.
   * Default: 8 MiB.
   */
  readonly outputBytes?: number
}

/** The tools as effects, over the sessions that they have started. */
export interface UnifiedExec {
  /** Starts a command. Fails with `Create` or `Wait`, or with `Closed` after the end of the scope. */
  readonly execCommand: SessionCalls.Run<Tools.ExecCommand>
  /** Writes to a session, or waits for it. Fails with `UnknownSession`, `StdinClosed`, `Write` or `Wait`. */
  readonly writeStdin: SessionCalls.Run<Tools.WriteStdin>
  /** Reads again what a command has printed. Fails with `UnknownSession` or `Arguments`. */
  readonly readOutput: SessionCalls.Run<Tools.ReadOutput>
  /** Tells what the terminal of a command shows. Fails with `UnknownSession` or `Screen`. */
  readonly readScreen: SessionCalls.Run<Tools.ReadScreen>
  /** Tells of the commands. */
  readonly listCommands: SessionCalls.Run<Tools.ListCommands>
  /** Ends a command. Fails with `UnknownSession`. */
  readonly stopCommand: SessionCalls.Run<Tools.StopCommand>
  /**
   * Runs a tool by its name, with the arguments as the model gave them: an object, or its JSON text. Fails with
   * `UnknownTool` or `Arguments` besides.
   */
  readonly call: (
    name: string,
    ...rest: Parameters<SessionCalls.Run<unknown>>
  ) => ReturnType<SessionCalls.Run<unknown>>
  /** The ids of the sessions that `write_stdin` knows, in the order of their last use. */
  readonly sessionIds: Effect.Effect<ReadonlyArray<number>>
  /** Which tools there are. */
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
   * What tools of their own are made of.
   *
   * @internal
   */
  readonly parts: PersistentShell.Parts
}

/** The tools over a backend. */
export const make = (
  backend: ExecBackend,
  options: Options = {},
): Effect.Effect<UnifiedExec, never, Scope.Scope> => {
  const { capabilities: server } = backend.environmentInfo
  return Effect.map(SessionCalls.make(backend, options), (calls) => {
    const { longestPollMillis, cap } = options
    const { commands } = calls
    const execCommand = ExecCommandTool.make(backend, calls, options, longestPollMillis)
    const writeStdin = WriteStdinTool.make(calls, server, longestPollMillis)
    const readOutput = ReadOutputTool.make(commands, options.text ?? SessionCalls.formOf(options.tools), cap)
    const readScreen = ReadScreenTool.make(calls, server, cap)
    const listCommands = ListCommandsTool.make(calls)
    const stopCommand = StopCommandTool.make(calls, commands)

    const { tools: offer = "all" } = options
    const isCodex = offer === "codex"
    // A model is not offered what the server cannot do.
    const offered = Tools.toolDefinitions(offer).filter(
      ({ name }) => name !== "read_screen" || server?.processScreen === true,
    )
    const run: { readonly [name in Tools.Name]: Decoded } = {
      exec_command: isCodex
        ? decoded(Tools.CodexExecCommand, execCommand)
        : decoded(Tools.ExecCommand, execCommand),
      write_stdin: isCodex
        ? decoded(Tools.CodexWriteStdin, writeStdin)
        : decoded(Tools.WriteStdin, writeStdin),
      read_output: decoded(Tools.ReadOutput, readOutput),
      read_screen: decoded(Tools.ReadScreen, readScreen),
      list_commands: decoded(Tools.ListCommands, listCommands),
      stop_command: decoded(Tools.StopCommand, stopCommand),
    }

    const call: UnifiedExec["call"] = (name, args, watcher) =>
      Effect.suspend(() => {
        const tool = offered.find((each) => each.name === name)
        if (tool === undefined) return ToolError.unknownTool(name)
        return run[tool.name](typeof args === "string" ? args : JSON.stringify(args ?? {}), watcher)
      })

    const sessionIds = Effect.sync(() => calls.table.all.map(({ id }) => id))
    return {
      execCommand,
      writeStdin,
      readOutput,
      readScreen,
      listCommands,
      stopCommand,
      call,
      sessionIds,
      offer,
      definitions: offered,
      commands,
      parts: { backend, calls, defaults: options },
    }
  })
}

/** A tool that takes the JSON text of its arguments. */
type Decoded = (text: string, watcher?: Watcher) => ReturnType<SessionCalls.Run<unknown>>

const decoded =
  <A, I>(schema: Schema.Schema<A, I>, run: SessionCalls.Run<A>): Decoded =>
  (text, watcher) =>
    Either.match(Arguments.decode(schema, text), {
      onLeft: ToolError.badArguments,
      onRight: (args) => run(args, watcher),
    })
