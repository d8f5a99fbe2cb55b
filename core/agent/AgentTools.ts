/**
 * The tools for programs without Effect: promises over `UnifiedExec`, with an `AbortSignal` that stops waiting and
 * leaves the command alone.
 *
 * Failures are thrown as `ToolError`, a real `Error` whose message is meant for the model.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Client } from "../client/Client.ts"
import * as Reply from "./Reply.ts"
import type { Watcher } from "./Session.ts"
import * as ToolError from "./ToolError.ts"
import * as Tools from "./Tools.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

/** What is needed of an `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean
  addEventListener(type: "abort", listener: () => void): void
  removeEventListener(type: "abort", listener: () => void): void
}

export interface CallOptions extends Watcher {
  /** Stops waiting: the call is rejected with the reason `Aborted`, and the command goes on. */
  readonly signal?: Signal | undefined
}

/** A reply, and its text for the model. */
export type TextReply = Reply.Reply & { readonly text: string }

export interface AgentTools extends AsyncDisposable {
  readonly definitions: ReadonlyArray<Tools.ToolDefinition>
  execCommand(args: Tools.ExecCommand, options?: CallOptions): Promise<TextReply>
  writeStdin(args: Tools.WriteStdin, options?: CallOptions): Promise<TextReply>
  /** A tool by its name, with the arguments as the model gave them: an object, or its JSON text. */
  call(name: string, args: unknown, options?: CallOptions): Promise<TextReply>
  /** The ids of the sessions that can be asked for, the one used last at the end. */
  sessionIds(): ReadonlyArray<number>
  /** Kills every command that was started. The client stays open. */
  close(): Promise<void>
}

/** The tools over a client. */
export const createTools = (client: Client, options?: UnifiedExec.Options): AgentTools => {
  const scope = Effect.runSync(Scope.make())
  const tools = Effect.runSync(Scope.extend(UnifiedExec.make(client.effect, options), scope))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))

  const call: AgentTools["call"] = (name, args, { signal, ...watcher } = {}) => {
    let sessionId: number | undefined
    const onSession = (id: number) => {
      sessionId = id
      watcher.onSession?.(id)
    }
    return promise(tools.call(name, args, { ...watcher, onSession }), signal, () =>
      ToolError.aborted(sessionId),
    )
  }

  return {
    definitions: Tools.toolDefinitions(),
    execCommand: (args, options) => call("exec_command", args, options),
    writeStdin: (args, options) => call("write_stdin", args, options),
    call,
    sessionIds: () => Effect.runSync(tools.sessionIds),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The edge: an effect as a promise that rejects with the error itself, or, when the signal says so, with `aborted`. */
const promise = async (
  effect: Effect.Effect<Reply.Reply, ToolError.ToolError>,
  signal: Signal | undefined,
  aborted: () => ToolError.ToolError,
): Promise<TextReply> => {
  if (signal?.aborted) throw aborted()
  const fiber = Effect.runFork(effect)
  const abort = () => fiber.unsafeInterruptAsFork(fiber.id())
  signal?.addEventListener("abort", abort)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  signal?.removeEventListener("abort", abort)
  if (Exit.isSuccess(exit)) return { ...exit.value, text: Reply.toText(exit.value) }
  throw Exit.isInterrupted(exit) ? aborted() : Cause.squash(exit.cause)
}
