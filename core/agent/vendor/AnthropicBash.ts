/**
 * The `bash` tool of Anthropic's models over the tools of this folder: one shell whose folder, variables and functions
 * stay from call to call.
 *
 * Its shell is a loop of bash in a terminal without echo, which reads a line for each call, evaluates it with an empty
 * stdin, and prints a mark with the exit code behind the output. The commands have that terminal as their output, and
 * stdout and stderr in the order in which they were printed. It waits on the server: the capability is `processWait`.
 */
import type { AgentTools, CallOptions, TextReply } from "../AgentTools.ts"
import { toBase64, utf8 } from "../../protocol/Bytes.ts"
import { ToolError } from "../ToolError.ts"

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
  /** What the model reads. */
  readonly content: string
  /** Set if the command could not be run, or did not end in time. */
  readonly is_error?: true
}

/** Options of the tool. */
export interface BashOptions {
  /** How long a command may take, in milliseconds. Then its shell is ended. Default: 120000. */
  readonly timeoutMs?: number
  /** The bash that is started. Default: `bash`, as the server finds it. */
  readonly shell?: string
}

/** The tool of one conversation. */
export interface BashTool {
  /** What goes into `tools` of a request: the model knows the rest. */
  readonly definition: { readonly type: "bash_20250124"; readonly name: "bash" }
  /**
   * Runs what the model asks for, one call after the other. Rejects only if the caller aborts, which ends the shell;
   * everything else that fails is a result with `is_error`.
   */
  call(use: ToolUse, options?: CallOptions): Promise<ToolResult>
  /** Ends the shell. */
  close(): Promise<void>
}

const ready = "procwire-shell-is-ready"

/** How long a shell may take until it reads, in milliseconds: only one that cannot start does. */
const startMs = 60_000

const loop = `stty -icanon -echo -onlcr
echo ${ready}
while IFS=' ' read -r procwire_mark procwire_line; do
  eval "$(printf %s "$procwire_line" | base64 -d)" </dev/null
  printf '\\n%s %d\\n' "$procwire_mark" "$?"
done`

/** Makes the tool for one conversation. */
export const bashTool = (tools: AgentTools, options: BashOptions = {}): BashTool => {
  const { shell = "bash", timeoutMs = 120_000 } = options
  let session: number | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const stop = async (): Promise<void> => {
    const session_id = session
    session = undefined
    if (session_id !== undefined) await tools.stopCommand({ session_id, grace_ms: 0 }).catch(() => undefined)
  }

  const open = async (how?: CallOptions): Promise<number> => {
    if (session !== undefined) return session
    const wait_for = { text: ready, input: false }
    const begun = { cmd: loop, shell, login: false, tty: true, kill_on_cancel: true, wait_for }
    const { exitCode, output, sessionId } = await tools.execCommand({ ...begun, yield_time_ms: startMs }, how)
    if (sessionId === undefined)
      throw new ToolError({ reason: "Create", message: `bash has exited with ${exitCode}: ${output}` })
    session = sessionId
    return sessionId
  }

  const run = async (command: string, id: string, how?: CallOptions): Promise<Answer> => {
    const mark = `procwire-${id.replaceAll(/\W/g, "") || "call"}`
    const reply = await tools.writeStdin(
      {
        session_id: await open(how),
        chars: `${mark} ${toBase64(utf8.encode(command))}\n`,
        wait_for: { pattern: `\\n${mark} \\d+\\n`, input: false },
        yield_time_ms: timeoutMs,
        kill_on_cancel: true,
      },
      how,
    )
    const answer = read(reply, mark, timeoutMs)
    if (answer.over) await stop()
    return answer
  }

  const answer = async ({ id, input, name }: ToolUse, how?: CallOptions): Promise<ToolResult> => {
    const result = (content: string, isError = false): ToolResult => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(isError ? { is_error: true } : {}),
    })
    if (name !== "bash") return result(`unsupported call: ${name}`, true)
    const { command, restart } = fields(input)
    if (restart === true) {
      await stop()
      return result("tool has been restarted.")
    }
    if (typeof command !== "string")
      return result("bash needs a command, which is a text, or restart: true", true)
    try {
      const { content, failed } = await run(command, id, how)
      return result(content, failed)
    } catch (error) {
      await stop()
      if (!(error instanceof ToolError) || error.reason === "Aborted") throw error
      return result(error.message, true)
    }
  }

  return {
    definition: { type: "bash_20250124", name: "bash" },
    call: (use, how) => {
      const next = turn.then(() => answer(use, how))
      turn = next.catch(() => undefined)
      return next
    },
    close: stop,
  }
}

interface Answer {
  readonly content: string
  readonly failed: boolean
  /** The shell has ended, or has to be ended. */
  readonly over: boolean
}

/** What a reply says: the output in front of the mark, or why there is none. */
const read = ({ exitCode, output }: TextReply, mark: string, timeoutMs: number): Answer => {
  const [whole, code = ""] = new RegExp(`\\n${mark} (\\d+)\\n$`).exec(output) ?? []
  if (whole !== undefined) {
    const printed = output.slice(0, -whole.length)
    return {
      content: code === "0" ? printed : withLine(printed, `Exit code: ${code}`),
      failed: false,
      over: false,
    }
  }
  if (exitCode !== undefined) {
    const line = `The shell has exited with code ${exitCode}. The next command starts another one.`
    return { content: withLine(output, line), failed: false, over: true }
  }
  const line = `The command has not ended within ${timeoutMs} ms. The shell was restarted.`
  return { content: withLine(output, line), failed: true, over: true }
}

const withLine = (text: string, line: string): string =>
  `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`

const fields = (input: unknown): { readonly command?: unknown; readonly restart?: unknown } =>
  typeof input === "object" && input !== null ? input : {}
