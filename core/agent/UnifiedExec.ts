/**
 * The tools that a language model calls to run commands: `exec_command` starts one and waits a little for it,
 * `write_stdin` writes to it and waits again. The results are the same wherever the processes run.
 *
 * A call returns when the command has exited, and no later than its yield time. An interrupted call stops waiting; the
 * command goes on, and the next call returns its output. The end of the scope kills every command that was started. All
 * time comes through Clock.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Arguments from "./Arguments.ts"
import type * as Command from "./Command.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as ExecCommandTool from "./ExecCommandTool.ts"
import * as SessionCalls from "./SessionCalls.ts"
import * as ToolError from "./ToolError.ts"
import * as Tools from "./Tools.ts"
import type * as Truncate from "./Truncate.ts"
import * as WriteStdinTool from "./WriteStdinTool.ts"

export type { Run } from "./SessionCalls.ts"

/** Defaults of the commands, and bounds of the replies. */
export interface Options extends Command.Defaults {
  /** Bounds the output of every reply, besides the `max_output_tokens` of a call. Default: no further bound. */
  readonly cap?: Truncate.Cap
  /** The longest that `write_stdin` without characters may wait, in milliseconds. Default: 300,000. */
  readonly longestPollMillis?: number
}

/** The tools as effects, over the sessions that they have started. */
export interface UnifiedExec {
  /** Starts a command. Fails with `Create`, or with `Closed` after the end of the scope. */
  readonly execCommand: SessionCalls.Run<Tools.ExecCommand>
  /** Writes to a session, or waits for it. Fails with `UnknownSession`, `StdinClosed` or `Write`. */
  readonly writeStdin: SessionCalls.Run<Tools.WriteStdin>
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
}

/** The tools over a backend. */
export const make = (
  backend: ExecBackend,
  options: Options = {},
): Effect.Effect<UnifiedExec, never, Scope.Scope> =>
  Effect.map(SessionCalls.make(options.cap), (calls) => {
    const execCommand = ExecCommandTool.make(backend, calls, options)
    const writeStdin = WriteStdinTool.make(calls, options.longestPollMillis)

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

    const sessionIds = Effect.sync(() => calls.table.all.map(({ id }) => id))
    return { execCommand, writeStdin, call, sessionIds }
  })
