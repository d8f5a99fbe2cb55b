/**
 * The `bash` tool of Anthropic's models over the tools of this folder: one shell whose folder, variables and functions
 * stay from call to call. Its commands have a terminal as their output, and stdout and stderr in the order in which
 * they were printed.
 */
import * as Effect from "effect/Effect"
import { type AgentTools, type CallOptions, promise } from "../AgentTools.ts"
import { utf8Decoder } from "../../protocol/Bytes.ts"
import * as PlainText from "../PlainText.ts"
import { notify } from "../Session.ts"
import { defaultMaxTokens } from "../Sessions.ts"
import * as ToolError from "../ToolError.ts"
import * as Truncate from "../Truncate.ts"
import * as PersistentShell from "./PersistentShell.ts"

/** A block of an answer of the model that calls a tool. */
export interface ToolUse {
  /** Tells the kinds of messages apart. */
  readonly type: "tool_use"
  /** The id that the result repeats. */
  readonly id: string
  /** The name of the tool: `bash`. */
  readonly name: string
  /** `command`, or `restart: true`. */
  readonly input: unknown
}

/** The block of the next message of the user that answers it. */
export interface ToolResult {
  /** Tells the kinds of messages apart. */
  readonly type: "tool_result"
  /** The id of the call. */
  readonly tool_use_id: string
  /** The text for the model. */
  readonly content: string
  /** Set if the command could not be run, or did not end in time. */
  readonly is_error?: true
}

/** Options of the tool. */
export interface BashOptions {
  /** The time of a command, in milliseconds. Then its shell is ended. Default: 120000. */
  readonly timeoutMs?: number
  /** The bash that is started. Default: `bash`, as the server finds it. */
  readonly shell?: string
  /** The stdin of commands: nothing, or the terminal, which they then ask for input. Default: `empty`. */
  readonly stdin?: "empty" | "terminal"
  /**
   * The form of results: as they were printed (`raw`), or without ANSI codes, carriage returns, and what those have
   * written over (`plain`). Default: `plain`.
   */
  readonly text?: PlainText.Form
}

/** The tool of one conversation. */
export interface BashTool {
  /** The entry in `tools` of a request: the model knows the rest. */
  readonly definition: { readonly type: "bash_20250124"; readonly name: "bash" }
  /**
   * Runs what the model asks for, one call after the other. The result of a command that asks for input says so, and
   * the `command` of the next call is what it gets. Rejects only if the caller aborts, which ends the shell; everything
   * else that fails is a result with `is_error`.
   */
  call(use: ToolUse, options?: CallOptions): Promise<ToolResult>
  /** Ends the shell. */
  close(): Promise<void>
}

/** Makes the tool for one conversation. */
export const bashTool = (tools: AgentTools, options: BashOptions = {}): BashTool => {
  const { shell = "bash", stdin = "empty", text = "plain", timeoutMs = 120_000 } = options
  const { parts } = tools.effect
  let current: PersistentShell.PersistentShell | undefined
  /** Code that sets the variables that the last shell has exported. */
  let exports: string | undefined
  /** True if a command that has asked for input goes on. */
  let asks = false
  let turn: Promise<unknown> = Promise.resolve()

  const stop = Effect.suspend(() => {
    const old = current
    exports = old?.exports() ?? exports
    current = undefined
    asks = false
    return old?.stop ?? Effect.void
  })

  const open = Effect.suspend(() =>
    current === undefined
      ? Effect.map(PersistentShell.make(parts, { shell, stdin, exports }), (made) => (current = made))
      : Effect.succeed(current),
  )

  /** The output since the last result, followed by a line. */
  const say = (from: PersistentShell.PersistentShell, last: boolean, line?: string): string => {
    const taken = PlainText.taken(from.output.take(last, text), text)
    const printed = Truncate.shown(taken, defaultMaxTokens, parts.defaults.cap)
    return line === undefined ? printed : withLine(printed, line)
  }

  const answerOf = (from: PersistentShell.PersistentShell, stop: PersistentShell.Stop): Answer => {
    switch (stop.kind) {
      case "ended":
        return { content: say(from, true, stop.code === 0 ? undefined : `Exit code: ${stop.code}`) }
      case "asks":
        return { content: say(from, false, asking(stop.asks, from.sessionId)), asks: true }
      case "exited": {
        const code = stop.code === undefined ? "an unknown code" : `code ${stop.code}`
        const line = `The shell has exited with ${code}. The next command starts another one.`
        return { content: say(from, true, line), over: true }
      }
      case "stuck":
        return { content: say(from, true, stuck), over: true, failed: true }
      case "late": {
        const line = `The command has not ended within ${timeoutMs} ms. The shell was restarted.`
        return { content: say(from, true, line), over: true, failed: true }
      }
    }
  }

  /** Runs a command, or gives its text to the one that asks. */
  const run = (command: string, isInput: boolean, how: CallOptions) =>
    Effect.gen(function* () {
      const from = yield* open
      notify(how.onSession, from.sessionId)
      const decoder = utf8Decoder()
      from.output.listener = (bytes) => {
        const text = decoder.decode(bytes, { stream: true })
        if (text !== "") notify(how.onOutput, { sessionId: from.sessionId, text })
      }
      if (asks) {
        // Another caller may have written the input meanwhile.
        const before = yield* from.wait(0)
        if (before.kind === "ended" || before.kind === "exited" || !isInput) {
          const { content, over } =
            before.kind === "late" ? { content: "", over: false } : answerOf(from, before)
          if (before.kind === "ended") asks = false
          if (over === true) yield* stop
          const why = before.kind === "late" || before.kind === "asks" ? beside : overMeanwhile
          return { content: withLine(content, why), failed: true }
        }
        yield* from.write(command.length === 1 && command < " " ? command : `${command}\n`)
      } else yield* from.begin(command)
      const answer = answerOf(from, yield* from.wait(timeoutMs))
      asks = answer.asks === true
      if (answer.over === true) yield* stop
      return answer
    }).pipe(
      Effect.catchTag("ClientError", (error) => ToolError.notWritten(error)),
      Effect.onInterrupt(() => stop),
      Effect.tapError(() => stop),
      Effect.ensuring(Effect.sync(() => current !== undefined && (current.output.listener = undefined))),
    )

  const answer = async (
    { id, input, name }: ToolUse,
    isInput: boolean,
    how: CallOptions,
  ): Promise<ToolResult> => {
    const result = ({ content, failed = false }: Answer): ToolResult => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(failed ? { is_error: true } : {}),
    })
    const refused = (content: string) => result({ content, failed: true })
    if (name !== "bash") return refused(`unsupported call: ${name}`)
    const { command, restart } = fields(input)
    if (restart === true) {
      await Effect.runPromise(stop)
      exports = undefined
      return result({ content: "tool has been restarted." })
    }
    if (typeof command !== "string") return refused("bash needs a command, which is a text, or restart: true")
    if (command.includes("\0")) return refused("a command cannot have a NUL character")
    try {
      return result(await promise(run(command, isInput, how), how.signal, () => ToolError.aborted(undefined)))
    } catch (error) {
      if (!(error instanceof ToolError.ToolError) || error.reason === "Aborted") throw error
      return refused(error.message)
    }
  }

  return {
    definition: { type: "bash_20250124", name: "bash" },
    call: (use, how = {}) => {
      // Only who has read the question can have answered it.
      const isInput = asks
      const next = turn.then(() => answer(use, isInput, how))
      turn = next.catch(() => undefined)
      return next
    },
    close: () => Effect.runPromise(stop),
  }
}

interface Answer {
  readonly content: string
  readonly failed?: boolean
  /** The shell has ended, or has to be ended. */
  readonly over?: boolean
  readonly asks?: boolean
}

const asking = (what: "input" | "password", id: number): string =>
  `The command asks for ${what === "input" ? "input" : "a password (its terminal does not show what is typed)"} ` +
  `and goes on. The text of the next command is written to it as a line, as by write_stdin to session ID ${id}; ` +
  "restart ends it."

const stuck =
  "The shell executes no more commands (a trap on DEBUG skips them, or an option or limit forbids them). It was restarted."
const beside = "The command before this one asks for input and goes on. This one was not run."
const overMeanwhile = "The command that has asked for input has ended meanwhile. This one was not run."

const withLine = (text: string, line: string): string =>
  `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`

const fields = (input: unknown): { readonly command?: unknown; readonly restart?: unknown } =>
  typeof input === "object" && input !== null ? input : {}
