/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The tools for programs without Effect: promises over `UnifiedExec`, and an `AbortSignal` that stops a call from
 * waiting but does not stop its command, unless the call says so.
 *
 * Failures are thrown as `ToolError`, an `Error` whose message is for the model.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Client } from "../client/Client.ts"
import type { Signal } from "../client/GivingUp.ts"
import * as Reply from "./Reply.ts"
import type { Watcher } from "./Session.ts"
import * as ToolError from "./ToolError.ts"
import type * as Tools from "./Tools.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

export type { Signal } from "../client/GivingUp.ts"

/** Options of a call. */
export interface CallOptions extends Watcher {
  /**
   * Stops waiting: the call rejects with the reason `Aborted`, and the command goes on, unless the call has
   * `kill_on_cancel`. Default: none.
   */
  readonly signal?: Signal | undefined
}

/** A reply, as the model reads it. */
export type TextReply = Reply.Reply & {
  /** The reply. */
  readonly text: string
  /** `text`, followed by the call that gets the rest, if the output was cut. */
  readonly texts: ReadonlyArray<string>
}

/** The tools over one client. Calls reject with `ToolError`. `await using` closes them. */
export interface AgentTools extends AsyncDisposable {
  /** Name, description and JSON Schema of each tool, for an agent framework. */
  readonly definitions: ReadonlyArray<Tools.ToolDefinition>
  /** Runs `exec_command`: starts a command and waits for it, at most for its yield time. */
  execCommand(args: Tools.ExecCommand, options?: CallOptions): Promise<TextReply>
  /** Runs `write_stdin`: writes to a session, or only waits for it, at most for its yield time. */
  writeStdin(args: Tools.WriteStdin, options?: CallOptions): Promise<TextReply>
  /** Runs `read_output`: reads again what a command has printed, whether it runs or has ended. */
  readOutput(args: Tools.ReadOutput, options?: CallOptions): Promise<TextReply>
  /** Runs `read_screen`: what the terminal of a command shows. */
  readScreen(args: Tools.ReadScreen, options?: CallOptions): Promise<TextReply>
  /** Runs `list_commands`. */
  listCommands(args?: Tools.ListCommands, options?: CallOptions): Promise<TextReply>
  /** Runs `stop_command`: SIGTERM, and SIGKILL after a grace. */
  stopCommand(args: Tools.StopCommand, options?: CallOptions): Promise<TextReply>
  /** Runs a tool by its name, with the arguments as the model gave them: an object, or its JSON text. */
  call(name: string, args: unknown, options?: CallOptions): Promise<TextReply>
  /** The ids of the sessions that `write_stdin` knows, in the order of their last use. */
  sessionIds(): ReadonlyArray<number>
  /** Kills every command that these tools started, and what those have left in the background. The client stays open. */
  close(): Promise<void>
  /**
   * The same as effects.
   *
   * @internal
   */
  readonly effect: UnifiedExec.UnifiedExec
}

/** Makes the tools over a client. */
export const createTools = (client: Client, options?: UnifiedExec.Options): AgentTools => {
  const scope = Effect.runSync(Scope.make())
  const tools = Effect.runSync(Scope.provide(UnifiedExec.make(client.effect, options), scope))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))

  const call: AgentTools["call"] = (name, args, { signal, ...watcher } = {}) => {
    let sessionId: number | undefined
    const onSession = (id: number) => {
      sessionId = id
      watcher.onSession?.(id)
    }
    const reply = promise(tools.call(name, args, { ...watcher, onSession }), signal, () =>
      ToolError.aborted(sessionId, isStopping(tools, sessionId)),
    )
    return reply.then((reply) => ({ ...reply, text: Reply.toText(reply), texts: Reply.toTexts(reply) }))
  }

  return {
    definitions: tools.definitions,
    execCommand: (args, options) => call("exec_command", args, options),
    writeStdin: (args, options) => call("write_stdin", args, options),
    readOutput: (args, options) => call("read_output", args, options),
    readScreen: (args, options) => call("read_screen", args, options),
    listCommands: (args = {}, options) => call("list_commands", args, options),
    stopCommand: (args, options) => call("stop_command", args, options),
    call,
    sessionIds: () => Effect.runSync(tools.sessionIds),
    close,
    effect: tools,
    [Symbol.asyncDispose]: close,
  }
}

const isStopping = ({ commands }: UnifiedExec.UnifiedExec, id = 0): boolean =>
  commands.get(id)?.stopping !== undefined

/** Runs an effect as a promise that rejects with the error itself, or with `aborted` if the signal fires first. */
export const promise = async <A>(
  effect: Effect.Effect<A, ToolError.ToolError>,
  signal: Signal | undefined,
  aborted: () => ToolError.ToolError,
): Promise<A> => {
  if (signal?.aborted) throw aborted()
  const fiber = Effect.runFork(effect)
  const abort = () => fiber.interruptUnsafe()
  signal?.addEventListener("abort", abort)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  signal?.removeEventListener("abort", abort)
  if (Exit.isSuccess(exit)) return exit.value
  throw Exit.hasInterrupts(exit) ? aborted() : Cause.squash(exit.cause)
}
