/**
 * The two tools as data: name, description, and a Schema of the arguments. The JSON Schema for models and the decoding
 * of their arguments both derive from it.
 */
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as Arguments from "./Arguments.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const maxOutputTokens = optional(
  Arguments.countOrNull(
    "The most tokens of output to return (default 10000); longer output loses its middle.",
  ),
)

/** The arguments of `exec_command`. */
export const ExecCommand = Schema.Struct({
  cmd: Arguments.text("The command line, as it would be typed into a shell."),
  workdir: optional(
    Arguments.textOrNull(
      "The directory to run it in; relative to the default, which is the working directory.",
    ),
  ),
  shell: optional(Arguments.textOrNull("The shell that runs it; default: the user's.")),
  login: optional(Arguments.flagOrNull("Whether the shell is a login shell (default true).")),
  tty: optional(
    Arguments.flag("Whether it gets a terminal, and with it an open stdin (default false: pipes, no stdin)."),
  ),
  yield_time_ms: optional(
    Arguments.count(
      "How many milliseconds to wait for its end before returning what there is " +
        "(default 10000, from 250 to 30000).",
    ),
  ),
  max_output_tokens: maxOutputTokens,
})
export type ExecCommand = typeof ExecCommand.Type

/** The arguments of `write_stdin`. */
export const WriteStdin = Schema.Struct({
  session_id: Arguments.id("The session ID that exec_command returned."),
  chars: optional(
    Arguments.textOrNull(
      "What to write; empty (the default) only waits for output. \\u0003 interrupts, with or without a terminal.",
    ),
  ),
  yield_time_ms: optional(
    Arguments.count(
      "How many milliseconds to wait for the end before returning what there is (default 250); " +
        "at least 5000 when nothing is written.",
    ),
  ),
  max_output_tokens: maxOutputTokens,
})
export type WriteStdin = typeof WriteStdin.Type
/** What the arguments of both tools have. */
export type MaxOutputTokens = Pick<WriteStdin, "max_output_tokens">

/** What an agent framework needs to offer a tool to its model. */
export interface ToolDefinition {
  /** The name that the model calls. */
  readonly name: "exec_command" | "write_stdin"
  /** For the model. */
  readonly description: string
  /** JSON Schema, draft 7, of the arguments: an object without references. */
  readonly inputSchema: JsonObject
}

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown }

const toJsonSchema = <A, I>(schema: Schema.Schema<A, I>): JsonObject => {
  const { $schema: _, ...rest } = JSONSchema.make(schema)
  return rest
}

/** The definitions of both tools. */
export const toolDefinitions = (): ReadonlyArray<ToolDefinition> => [
  {
    name: "exec_command",
    description:
      "Runs a shell command. Returns its output and its exit code, or, if it is still running after the yield time, " +
      "its output so far and a session ID for write_stdin.",
    inputSchema: toJsonSchema(ExecCommand),
  },
  {
    name: "write_stdin",
    description:
      "Writes characters to a running session, or waits for it with none, and returns the output since the last " +
      "call, with the exit code once it has ended.",
    inputSchema: toJsonSchema(WriteStdin),
  },
]
