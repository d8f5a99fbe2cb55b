/**
 * What an MCP client sees of the tools: the list with both schemas, and each reply as text for the model and as
 * structured content for programs.
 *
 * A command that fails is an ordinary result. `isError` is for a call without effect, and for a process that can no
 * longer be followed.
 */
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as Reply from "../../../core/agent/Reply.ts"
import * as ToolError from "../../../core/agent/ToolError.ts"
import type * as Tools from "../../../core/agent/Tools.ts"
import type { CallToolResult, Tool } from "./McpSdk.ts"

const integer = (description: string) =>
  Schema.Number.annotations({ jsonSchema: { type: "integer", description } })
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The structured content of a reply. */
export const Structured = Schema.Struct({
  chunk_id: Schema.String.annotations({ description: "Names this reply." }),
  wall_time_seconds: Schema.Number.annotations({ description: "How long the call waited." }),
  exit_code: optional(integer("Set once the process has exited; 128 + n for death by signal n.")),
  session_id: optional(integer("Set while the process runs: what write_stdin goes on with.")),
  failure: optional(
    Schema.String.annotations({ description: "Why the process can no longer be followed, if so." }),
  ),
  original_token_count: integer("About how many tokens the output had before anything was cut from it."),
  output: Schema.String.annotations({ description: "The output since the last reply." }),
  notices: optional(
    Schema.Array(Schema.String).annotations({
      description:
        "What else happened: sessions that were ended, background processes, what became of cancelled calls.",
    }),
  ),
})

const RestContent = Schema.Struct({
  tool: optional(Schema.String),
  arguments: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  lost_from_byte: optional(Schema.Number),
  lost_to_byte: optional(Schema.Number),
}).annotations({
  description:
    "Set if the output was cut: the call of a tool that gets the rest, and the bytes of it that are not kept any more.",
})

/** What the structured content of a reply has besides, of calls that only the whole set of tools knows. */
export const More = Schema.Struct({
  wait_ended_by: optional(
    Schema.String.annotations({
      description: "How the wait ended: exit, text, pattern, port, input, quiet, timeout, or ended.",
    }),
  ),
  wait_detail: optional(Schema.String),
  asks_for: optional(
    Schema.String.annotations({ description: "Set if the command asks for input: input or password." }),
  ),
  ended_by: optional(
    Schema.String.annotations({ description: "Set if the command was stopped: timeout, stop or cancel." }),
  ),
  rest: optional(RestContent),
  excerpt: optional(
    Schema.Struct({
      session_id: integer("The command."),
      from_line: integer("The first line."),
      to_line: integer("The last line."),
      from_byte: integer("The first byte."),
      to_byte: integer("The byte behind the last one."),
      lines: integer("How many lines the command has printed."),
      bytes: integer("How many bytes it has printed."),
      matches: optional(integer("How many lines match.")),
    }),
  ),
  screen: optional(
    Schema.Struct({
      session_id: integer("The command."),
      rows: integer("The lines of the screen."),
      columns: integer("Its columns."),
      cursor_row: integer("The row of the cursor on the screen, counted from 1."),
      cursor_column: integer("Its column, counted from 1."),
      cursor_visible: Schema.Boolean,
      title: Schema.String,
      alternate: Schema.Boolean.annotations({
        description: "Whether the program draws on the alternate screen.",
      }),
      scrollback: integer("How many lines of the output have left the screen at its top."),
    }),
  ),
  commands: optional(
    Schema.Array(
      Schema.Struct({
        session_id: integer("For the other tools."),
        command: Schema.String,
        state: Schema.String.annotations({ description: "running, exited, lost or forgotten." }),
        exit_code: optional(integer("Set once it has exited.")),
        ended_by: optional(Schema.String),
        tty: Schema.Boolean,
        seconds: Schema.Number,
        lines: Schema.Number,
        bytes: Schema.Number,
        new_bytes: Schema.Number,
        left: optional(
          Schema.Array(
            Schema.Struct({
              pid: integer("The process."),
              command: Schema.String,
              seconds: Schema.Number,
              ports: Schema.Array(Schema.Number),
            }),
          ).annotations({ description: "What it has left in the background." }),
        ),
      }),
    ),
  ),
})
export type Structured = typeof Structured.Type

/** What runs commands does whatever the command does: a client may ask its user first. */
const runs = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const stops = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

const annotations = {
  exec_command: { title: "Run a shell command", ...runs },
  write_stdin: { title: "Write to a running command, or wait for it", ...runs },
  read_output: { title: "Read again what a command has printed", ...reads },
  read_screen: { title: "See what the terminal of a command shows", ...reads },
  list_commands: { title: "List the commands", ...reads },
  stop_command: { title: "Stop a running command", ...stops },
} as const

const toJsonSchema = (schema: Schema.Schema.AnyNoContext): object => {
  const { $schema: _, ...rest } = JSONSchema.make(schema)
  return rest
}

/**
 * What programs look at first, and what the reply of one tool is about. A client reads the whole list before the first
 * call, so it names neither what is rare nor what these have in them: README has all.
 */
const brief = (name: Tools.Name): object => {
  const about = { read_output: "excerpt", read_screen: "screen", list_commands: "commands" }
  const own = Object.entries(about).find(([tool]) => tool === name)?.[1]
  const type = own === "commands" ? "array" : "object"
  return {
    properties: {
      exit_code: { type: "integer" },
      session_id: { type: "integer" },
      output: { type: "string" },
      ...(own === undefined ? {} : { [own]: { type } }),
    },
    required: ["output"],
  }
}

/** The answer to `tools/list`. */
export const listing = (definitions: ReadonlyArray<Tools.ToolDefinition>, offer: Tools.Offer): Array<Tool> =>
  definitions.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: { ...(offer === "codex" ? toJsonSchema(Structured) : brief(name)), type: "object" },
    annotations: annotations[name],
  }))

/** An error of arguments by the name of the first one that is wrong, where the schema tells which. */
export const naming = (
  error: ToolError.ToolError,
  { inputSchema }: Tool,
  args: object,
): ToolError.ToolError => {
  const fault = error.reason === "Arguments" ? faultOf(inputSchema, args, "") : undefined
  return fault === undefined ? error : ToolError.badArguments(fault)
}

interface JsonSchema {
  readonly type?: string
  readonly minimum?: number
  readonly properties?: object | undefined
}

/** Null stands for an argument that is not there, as in the decoder. */
const faultOf = (schema: JsonSchema, value: unknown, path: string): string | undefined => {
  const { type, minimum, properties = {} } = schema
  if (value === null && path !== "") return undefined
  if (type === "object" && kindOf(value) === "object") {
    const names = Object.keys(properties)
    for (const [name, member] of Object.entries(Object(value))) {
      const at = path === "" ? name : `${path}.${name}`
      if (!names.includes(name) && path !== "")
        return `${at}: is not known, expected one of ${names.join(", ")}`
      const fault = faultOf(Object(Object(properties)[name]), member, at)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const fits = type === "integer" ? Number.isInteger(value) : kindOf(value) === type
  if (type === undefined || (fits && !(minimum !== undefined && Number(value) < minimum))) return undefined
  const expected = `${/^[io]/.test(type) ? "an" : "a"} ${type}${minimum === undefined ? "" : ` from ${minimum}`}`
  const got = type === "integer" && typeof value === "number" ? `${value}` : gotOf(kindOf(value))
  return `${path}: expected ${expected}, got ${got}`
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)
const gotOf = (kind: string): string => `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`

/** What is wrong with arguments that the schema of the tool does not have: it allows no others. */
export const unknownArgument = ({ inputSchema }: Tool, args: object): ToolError.ToolError | undefined => {
  const known = inputSchema.properties ?? {}
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return undefined
  const names = Object.keys(known).map((name) => `\`${name}\``)
  return ToolError.badArguments(`unknown field \`${unknown}\`, expected one of ${names.join(", ")}`)
}

/** A reply, which has notices of its own, followed by more notices for the model. */
export const fromReply = (reply: Reply.Reply, more: ReadonlyArray<string>): CallToolResult => ({
  content: texts([...Reply.toTexts(reply), ...more]),
  structuredContent: { ...toStructured(reply, [...(reply.notices ?? []), ...more]), ...toMore(reply) },
  ...(reply.failure === undefined ? {} : { isError: true }),
})

/** A call without effect: the reason, followed by the notices for the model. */
export const fromError = (
  { message }: ToolError.ToolError,
  notices: ReadonlyArray<string>,
): CallToolResult => ({
  content: texts([message, ...notices]),
  isError: true,
})

const texts = (all: ReadonlyArray<string>) => all.map((text) => ({ type: "text" as const, text }))

const toStructured = (reply: Reply.Reply, notices: ReadonlyArray<string>): Structured => ({
  chunk_id: reply.chunkId,
  wall_time_seconds: reply.wallSeconds,
  ...(reply.exitCode === undefined ? {} : { exit_code: reply.exitCode }),
  ...(reply.sessionId === undefined ? {} : { session_id: reply.sessionId }),
  ...(reply.failure === undefined ? {} : { failure: reply.failure }),
  original_token_count: reply.originalTokenCount,
  output: reply.output,
  ...(notices.length === 0 ? {} : { notices }),
})

const toMore = ({ wait, endedBy, rest, excerpt, screen, commands }: Reply.Reply): typeof More.Type => ({
  ...(wait === undefined ? {} : { wait_ended_by: wait.by, wait_detail: wait.detail }),
  ...(wait?.asks === undefined ? {} : { asks_for: wait.asks }),
  ...(endedBy === undefined ? {} : { ended_by: endedBy }),
  ...(rest === undefined
    ? {}
    : {
        rest: {
          ...rest.call,
          ...(rest.lost === undefined ? {} : { lost_from_byte: rest.lost.from, lost_to_byte: rest.lost.to }),
        },
      }),
  ...(excerpt === undefined ? {} : { excerpt: placeOf(excerpt) }),
  ...(screen === undefined ? {} : { screen: screenOf(screen) }),
  ...(commands === undefined ? {} : { commands: commands.map(listed) }),
})

const screenOf = (screen: NonNullable<Reply.Reply["screen"]>) => ({
  session_id: screen.sessionId,
  rows: screen.rows,
  columns: screen.columns,
  cursor_row: screen.cursorRow,
  cursor_column: screen.cursorColumn,
  cursor_visible: screen.cursorVisible,
  title: screen.title,
  alternate: screen.alternate,
  scrollback: screen.scrollback,
})

const placeOf = (excerpt: NonNullable<Reply.Reply["excerpt"]>) => ({
  session_id: excerpt.sessionId,
  from_line: excerpt.fromLine,
  to_line: excerpt.toLine,
  from_byte: excerpt.fromByte,
  to_byte: excerpt.toByte,
  lines: excerpt.lines,
  bytes: excerpt.bytes,
  ...(excerpt.matches === undefined ? {} : { matches: excerpt.matches }),
})

const listed = ({
  sessionId,
  exitCode,
  endedBy,
  newBytes,
  ...same
}: NonNullable<Reply.Reply["commands"]>[number]) => ({
  session_id: sessionId,
  ...same,
  ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  ...(endedBy === undefined ? {} : { ended_by: endedBy }),
  new_bytes: newBytes,
})
