/**
 * The tools as an MCP client sees them: the list with both schemas, and each reply as text for the model and as
 * structured content for programs.
 *
 * A command that fails is an ordinary result. `isError` is for a call without effect, and for a process that can no
 * longer be followed.
 */
import { toJsonSchema } from "../../../core/agent/Arguments.ts"
import * as Reply from "../../../core/agent/Reply.ts"
import * as ToolError from "../../../core/agent/ToolError.ts"
import type * as Tools from "../../../core/agent/Tools.ts"
import { exactOptional as optional } from "../../../core/protocol/shape/Fields.ts"
import * as Shape from "../../../core/protocol/shape/index.ts"
import type { CallToolResult, Tool } from "./McpSdk.ts"

const described = <A>({ form, read }: Shape.Shape<A>, description: string): Shape.Shape<A> =>
  Shape.leaf({ ...(form.kind === "leaf" ? form.json : {}), description }, read)
const text = (description: string) => described(Shape.string, description)
const integer = (description: string) => described(Shape.int("Int"), description)
const strings = Shape.leaf<ReadonlyArray<string>>(
  { type: "array", items: { type: "string" } },
  Shape.list(Shape.string).read,
)

export const Structured = Shape.struct("", {
  chunk_id: text("Names this reply."),
  wall_time_seconds: described(Shape.number, "How long the call waited."),
  exit_code: optional(integer("Set once the process has exited; 128 + n for death by signal n.")),
  session_id: optional(integer("Set while the process runs: what write_stdin goes on with.")),
  failure: optional(text("Why the process can no longer be followed, if so.")),
  original_token_count: integer("About how many tokens the output had before anything was cut from it."),
  output: text("The output since the last reply."),
  notices: optional(
    described(
      strings,
      "What else happened: sessions that were ended, background processes, what became of cancelled calls.",
    ),
  ),
})

export type Structured = typeof Structured.Type

/** A tool that runs commands may do anything: a client may ask its user first. */
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

/**
 * The members that programs look at first, and the subject of one tool. A client reads the whole list before the first
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

/** The error for arguments that the schema of the tool does not have: it allows no others. */
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

const toStructured = (reply: Reply.Reply, notices: ReadonlyArray<string>): Structured =>
  snakeCased({
    chunkId: reply.chunkId,
    wallTimeSeconds: reply.wallSeconds,
    exitCode: reply.exitCode,
    sessionId: reply.sessionId,
    failure: reply.failure,
    originalTokenCount: reply.originalTokenCount,
    output: reply.output,
    notices: notices.length === 0 ? undefined : notices,
  }) as Structured

/** The structured content of calls that only the whole set of tools knows. */
const toMore = ({ wait, endedBy, rest, excerpt, screen, commands }: Reply.Reply): object =>
  snakeCased({
    waitEndedBy: wait?.by,
    waitDetail: wait?.detail,
    asksFor: wait?.asks,
    endedBy,
    rest: rest && { ...rest.call, lostFromByte: rest.lost?.from, lostToByte: rest.lost?.to },
    excerpt,
    screen,
    commands,
  }) as object

/** The value with its names in snake case, as tools write them, and without undefined members. */
const snakeCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        snakeCased(member),
      ]),
  )
}
