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
import * as Tools from "../../../core/agent/Tools.ts"
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
export type Structured = typeof Structured.Type

/** Both tools do whatever the command does: a client may ask its user first. */
const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const titles = {
  exec_command: "Run a shell command",
  write_stdin: "Write to a running command, or wait for it",
} as const

/** The answer to `tools/list`. */
export const listing = (): Array<Tool> => {
  const { $schema: _, ...outputSchema } = JSONSchema.make(Structured)
  return Tools.toolDefinitions().map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: { ...outputSchema, type: "object" },
    annotations: { title: titles[name], ...hints },
  }))
}

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
  content: texts([Reply.toText(reply), ...more]),
  structuredContent: { ...toStructured(reply, [...(reply.notices ?? []), ...more]) },
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
