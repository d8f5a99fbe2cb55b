/**
 * The tools as data: name, description, and the shape of the arguments. The JSON Schema for models and the decoding of
 * their arguments both derive from it.
 */
import { exactOptional as optional } from "../protocol/shape/Fields.ts"
import * as Shape from "../protocol/shape/index.ts"
import * as Arguments from "./Arguments.ts"
import * as WaitFor from "./WaitFor.ts"

const maxOutputTokens = Arguments.countOrNull(
  "The most tokens of output to return (default 10000); longer output loses its middle.",
)

/** The arguments of `exec_command` as Codex has them. */
export const CodexExecCommand = Shape.struct("", {
  cmd: Arguments.text("The command line, as it would be typed into a shell."),
  workdir: Arguments.textOrNull(
    "The directory to run it in; relative to the default, which is the working directory.",
  ),
  shell: Arguments.textOrNull("The shell that runs it; default: the user's."),
  login: Arguments.flagOrNull("Whether the shell is a login shell (default true)."),
  tty: Arguments.flag(
    "Whether it gets a terminal, and with it an open stdin (default false: pipes, no stdin).",
  ),
  yield_time_ms: Arguments.count(
    "How many milliseconds to wait for its end before returning what there is " +
      "(default 10000, from 250 to 30000).",
  ),
  max_output_tokens: maxOutputTokens,
})

/** The arguments of `write_stdin` as Codex has them. */
export const CodexWriteStdin = Shape.struct("", {
  session_id: Arguments.id("The session ID that exec_command returned."),
  chars: Arguments.textOrNull(
    "What to write; empty (the default) only waits for output. \\u0003 interrupts, with or without a terminal.",
  ),
  yield_time_ms: Arguments.count(
    "How many milliseconds to wait for the end before returning what there is (default 250); " +
      "at least 5000 when nothing is written.",
  ),
  max_output_tokens: maxOutputTokens,
})

const waitFor = optional(WaitFor.WaitFor)
const killOnCancel = Arguments.flag(
  "Whether to stop the command if this call is cancelled (default false: it goes on).",
)

/** The arguments of `exec_command`. */
export const ExecCommand = Shape.struct("", {
  ...CodexExecCommand.fields,
  wait_for: waitFor,
  timeout_ms: Arguments.count(
    "Stops the command if it has not ended after so many milliseconds. Without yield_time_ms the call waits for " +
      "the end.",
  ),
  kill_on_cancel: killOnCancel,
})
export type ExecCommand = typeof ExecCommand.Type

/** The arguments of `write_stdin`. */
export const WriteStdin = Shape.struct("", {
  ...CodexWriteStdin.fields,
  wait_for: waitFor,
  timeout_ms: Arguments.count(
    "Stops the command if it has not ended so many milliseconds after this call. Without yield_time_ms the call " +
      "waits for the end.",
  ),
  kill_on_cancel: killOnCancel,
})
export type WriteStdin = typeof WriteStdin.Type
/** An argument of several tools. */
export type MaxOutputTokens = Pick<WriteStdin, "max_output_tokens">
/** Arguments of `exec_command` and `write_stdin` that Codex does not have. */
export type MoreArguments = Pick<WriteStdin, "wait_for" | "timeout_ms" | "kill_on_cancel" | "yield_time_ms">

const commandId = Arguments.id("The session ID of the command, which may have ended.")

/** The arguments of `list_commands`. */
export const ListCommands = Shape.struct("", {
  running: Arguments.flag(
    "Whether to list only the commands that run or have left processes in the background (default false: all " +
      "that are known).",
  ),
})
export type ListCommands = typeof ListCommands.Type

/** The arguments of `read_output`. */
export const ReadOutput = Shape.struct("", {
  session_id: commandId,
  from_line: Arguments.count("The first line to return, counted from 1 (default: the first)."),
  to_line: Arguments.count("The last line to return (default: the last)."),
  tail: Arguments.count("Returns only so many lines from the end."),
  grep: Arguments.optionalText(
    "Returns only the lines with a match of this regular expression (RE2 syntax), each with its number.",
  ),
  ignore_case: Arguments.flag("Whether grep takes either case (default false)."),
  context: Arguments.count("Lines to return before and after each match of grep (default 0)."),
  from_byte: Arguments.count("The first byte to return, counted from 0, instead of a line."),
  to_byte: Arguments.count("The byte before which to end, instead of a line."),
  max_output_tokens: Arguments.countOrNull(
    "The most tokens to return (default 10000); the reply says which call gets the rest.",
  ),
})
export type ReadOutput = typeof ReadOutput.Type

/** The arguments of `read_screen`. */
export const ReadScreen = Shape.struct("", {
  session_id: Arguments.id("The session ID of the command."),
  scrollback: Arguments.count(
    "The most lines to return that have left the screen at its top (default 0, at most 1000).",
  ),
  max_output_tokens: maxOutputTokens,
})
export type ReadScreen = typeof ReadScreen.Type

/** The arguments of `stop_command`. */
export const StopCommand = Shape.struct("", {
  session_id: commandId,
  grace_ms: Arguments.count(
    "How many milliseconds it has to end after SIGTERM, until SIGKILL (default 5000, at most 60000).",
  ),
  max_output_tokens: maxOutputTokens,
})
export type StopCommand = typeof StopCommand.Type

/** The tools of a model: `codex` are the two of Codex, with its arguments and no others. */
export type Offer = "all" | "codex"

/** The name of a tool. */
export type Name =
  | "exec_command"
  | "write_stdin"
  | "read_output"
  | "read_screen"
  | "list_commands"
  | "stop_command"

/** A tool, as an agent framework offers it to its model. */
export interface ToolDefinition {
  /** The name that the model calls. */
  readonly name: Name
  /** For the model. */
  readonly description: string
  /** JSON Schema, draft 7, of the arguments: an object without references. */
  readonly inputSchema: JsonObject
}

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown }

/** Each tool: its description for the model, its arguments, and those that Codex has. */
const table = {
  exec_command: {
    description:
      "Runs a shell command. Returns its output and its exit code, or, if it is still running after the yield time, " +
      "its output so far and a session ID for write_stdin.",
    all: ExecCommand,
    codex: CodexExecCommand,
  },
  write_stdin: {
    description:
      "Writes characters to a running session, or waits for it with none, and returns the output since the last " +
      "call, with the exit code once it has ended.",
    all: WriteStdin,
    codex: CodexWriteStdin,
  },
  read_output: {
    description:
      "Reads again what a command has printed, whether it runs or has ended: from a line on, its last lines, or the " +
      "lines that match a pattern.",
    all: ReadOutput,
  },
  read_screen: {
    description:
      "Shows what the terminal of a running command (tty=true) shows now, as a person would see it: for editors, " +
      "pagers, menus, progress bars, and anything else that draws. Takes nothing from the next reply.",
    all: ReadScreen,
  },
  list_commands: {
    description:
      "Lists the commands that run and those that have ended, with their session IDs and states, and the processes " +
      "that they have left in the background, with their listening ports.",
    all: ListCommands,
  },
  stop_command: {
    description:
      "Stops a running command and what it has started, or what one that has ended has left in the background: " +
      "SIGTERM, and SIGKILL after a grace. Returns its last output.",
    all: StopCommand,
  },
} as const satisfies { readonly [N in Name]: object }

/** The shape of the arguments of a tool. */
export const argumentsOf = (name: Name, offer: Offer): Shape.Shape<unknown, unknown> => {
  const tool = table[name]
  const shape = offer === "codex" && "codex" in tool ? tool.codex : tool.all
  // The tools have different types; a call selects one.
  return shape as unknown as Shape.Shape<unknown, unknown>
}

/** The definitions of the tools of an offer; by default of all. */
export const toolDefinitions = (offer: Offer = "all"): ReadonlyArray<ToolDefinition> =>
  (Object.keys(table) as ReadonlyArray<Name>)
    .filter((name) => offer === "all" || "codex" in table[name])
    .map((name) => {
      const inputSchema = Arguments.toJsonSchema(argumentsOf(name, offer))
      return { name, description: table[name].description, inputSchema }
    })
