/**
 * The shell tools of OpenAI's models over the tools of this folder: `shell`, which runs command lines side by side, and
 * the older `local_shell`, which runs the words of one command. Every command is a process of its own; stdout has what
 * both streams have printed, in that order.
 */
import type { AgentTools, CallOptions, TextReply } from "../AgentTools.ts"
import { ToolError } from "../ToolError.ts"
import { quoted } from "./PersistentShell.ts"

/** An item of an answer of the model: run these command lines. */
export interface ShellCall {
  /** Tells the kinds of messages apart. */
  readonly type: "shell_call"
  /** The id that the output repeats. */
  readonly call_id: string
  /** The commands to run. */
  readonly action: {
    /** Command lines, each for a shell of its own. */
    readonly commands: ReadonlyArray<string>
    /** The time of each, in milliseconds. */
    readonly timeout_ms?: number | null
    /** Repeated in the output. */
    readonly max_output_length?: number | null
  }
}

/** The end of a command of `shell`. */
export interface ShellOutput {
  /** The output of both streams. */
  readonly stdout: string
  /** Why it could not be run or followed; else empty. */
  readonly stderr: string
  /** Its exit code, or that its time was over. */
  readonly outcome: { readonly type: "exit"; readonly exit_code: number } | { readonly type: "timeout" }
}

/** The item of the next request that answers a {@link ShellCall}. */
export interface ShellCallOutput {
  /** Tells the kinds of messages apart. */
  readonly type: "shell_call_output"
  /** The id of the call. */
  readonly call_id: string
  /** The length of the call, if it has one. */
  readonly max_output_length?: number
  /** One for each command, in their order. */
  readonly output: ReadonlyArray<ShellOutput>
}

/** An item of an answer of the model: run these words. */
export interface LocalShellCall {
  /** Tells the kinds of messages apart. */
  readonly type: "local_shell_call"
  /** The id that the output repeats. */
  readonly call_id: string
  /** The commands to run. */
  readonly action: {
    readonly type: "exec"
    /** The program and its arguments. */
    readonly command: ReadonlyArray<string>
    /** Variables on top of those that commands have. */
    readonly env?: { readonly [name: string]: string }
    /** Its working directory; relative to the folder of the tools. */
    readonly working_directory?: string | null
    /** Its time, in milliseconds. */
    readonly timeout_ms?: number | null
    /** Refused: commands run as the user of the server. */
    readonly user?: string | null
  }
}

/** The item of the next request that answers a {@link LocalShellCall}. */
export interface LocalShellCallOutput {
  /** Tells the kinds of messages apart. */
  readonly type: "local_shell_call_output"
  /** The id of the call. */
  readonly id: string
  /** The id of the call. */
  readonly call_id: string
  /** JSON: `output`, and in `metadata` `exit_code` and `duration_seconds`. */
  readonly output: string
}

/** Options of both tools. */
export interface ShellOptions {
  /** The time of a command without `timeout_ms`, in milliseconds. Default: 120000. */
  readonly timeoutMs?: number
}

/** A tool: what goes into `tools` of a request, and what answers an item of its calls. It rejects only if aborted. */
export interface VendorTool<Type extends string, Call, Output> {
  /** The entry in `tools` of a request. */
  readonly definition: { readonly type: Type }
  /** Runs what an item of the answer asks for. */
  call(item: Call, options?: CallOptions): Promise<Output>
}

const defaultTimeoutMs = 120_000

/** The output and the end of a command; one that cannot be run is an exit with 127. */
const run = async (
  tools: AgentTools,
  args: { readonly cmd: string; readonly workdir?: string; readonly timeout_ms: number },
  how?: CallOptions,
): Promise<ShellOutput & { readonly seconds: number }> => {
  try {
    const reply = await tools.execCommand({ ...args, kill_on_cancel: true }, how)
    return {
      stdout: reply.output,
      stderr: reply.failure ?? "",
      outcome: outcomeOf(reply),
      seconds: reply.wallSeconds,
    }
  } catch (error) {
    if (!(error instanceof ToolError) || error.reason === "Aborted") throw error
    return { stdout: "", stderr: error.message, outcome: { type: "exit", exit_code: 127 }, seconds: 0 }
  }
}

const outcomeOf = ({ endedBy, exitCode = 1, sessionId }: TextReply): ShellOutput["outcome"] =>
  endedBy === "timeout" || sessionId !== undefined
    ? { type: "timeout" }
    : { type: "exit", exit_code: exitCode }

/** Makes the tool `shell`. */
export const shellTool = (
  tools: AgentTools,
  { timeoutMs = defaultTimeoutMs }: ShellOptions = {},
): VendorTool<"shell", ShellCall, ShellCallOutput> => ({
  definition: { type: "shell" },
  call: async ({ action, call_id }, how) => {
    const timeout_ms = action.timeout_ms ?? timeoutMs
    const ran = await Promise.all(action.commands.map((cmd) => run(tools, { cmd, timeout_ms }, how)))
    return {
      type: "shell_call_output",
      call_id,
      ...(action.max_output_length == null ? {} : { max_output_length: action.max_output_length }),
      output: ran.map(({ outcome, stderr, stdout }) => ({ stdout, stderr, outcome })),
    }
  },
})

/** Makes the tool `local_shell`. */
export const localShellTool = (
  tools: AgentTools,
  { timeoutMs = defaultTimeoutMs }: ShellOptions = {},
): VendorTool<"local_shell", LocalShellCall, LocalShellCallOutput> => ({
  definition: { type: "local_shell" },
  call: async ({ action, call_id }, how) => {
    const { command, env = {}, timeout_ms, user, working_directory } = action
    const answer = ({ outcome, seconds, stderr, stdout }: Awaited<ReturnType<typeof run>>) => ({
      type: "local_shell_call_output" as const,
      id: call_id,
      call_id,
      output: JSON.stringify({
        output: outcome.type === "timeout" ? `${stdout}command timed out` : stdout + stderr,
        metadata: {
          exit_code: outcome.type === "timeout" ? 124 : outcome.exit_code,
          duration_seconds: Math.round(seconds * 10) / 10,
        },
      }),
    })
    if (user != null && user !== "") {
      const stderr = `local_shell cannot run a command as ${user}: commands run as the user of the server`
      return answer({ stdout: "", stderr, outcome: { type: "exit", exit_code: 126 }, seconds: 0 })
    }
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const words = [...(variables.length === 0 ? [] : ["env", ...variables]), ...command]
    const cmd = words.map(quoted).join(" ")
    const place = working_directory == null || working_directory === "" ? {} : { workdir: working_directory }
    return answer(await run(tools, { cmd, ...place, timeout_ms: timeout_ms ?? timeoutMs }, how))
  },
})
