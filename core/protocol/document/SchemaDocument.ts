/**
 * `procwire.schema.json`: every type of a wire as JSON Schema 2020-12, with descriptions, units and examples, and the
 * version of the wire and the capability that it came with.
 */
import { fieldsOf, isOfServer, ofTypes, type Method, type Wire } from "./Wire.ts"
import { type JsonSchema, nameOf } from "./Shape.ts"
import * as Versions from "./Versions.ts"
import * as EnvNames from "../EnvNames.ts"
import * as Limits from "../Limits.ts"

/** Docstrings, by `Type` or `Type.field`. */
export interface Docstrings {
  readonly [name: string]: string | undefined
}

const id = (name: string, kind: string) => `urn:procwire:${name}.${kind}`

/** The file's own name, for those that refer to it. */
export const fileOf = ({ name }: Wire) => `${name}.schema.json`

const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const integerId = { type: "integer", minimum: -(2 ** 63), maximum: 2 ** 63 }
const object = (properties: object, required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  required,
})

const errorData = {
  description:
    "What programs are told. Of a process that was not started it is `{kind}`: `spawnNotFound`, " +
    "`spawnPermissionDenied`, `spawnFailed`, `sandboxUnavailable` or `sandboxPreparation`.",
}

/** The forms of all messages. They have no `jsonrpc` member. */
const envelope = {
  RequestId: {
    description: "The id of a request, which the answer repeats exactly: a text, or an integer of 64 bits.",
    type: ["string", "integer"],
  },
  Response: {
    description: "The answer of a request that succeeded.",
    ...object({ id: ref("RequestId"), result: {} }, ["id", "result"]),
    not: { required: ["method"] },
  },
  ErrorResponse: {
    description: "The answer of a request that failed. The id is -1 if the message could not be read.",
    ...object(
      {
        id: ref("RequestId"),
        error: object({ code: integerId, message: { type: "string" }, data: errorData }, ["code", "message"]),
      },
      ["id", "error"],
    ),
    not: { required: ["method"] },
  },
}

const messageOf = ({ kind, name, params }: Method) => {
  const isRequest = kind === "request" || kind === "serverRequest"
  const needsParams = params !== undefined && typeof params["$ref"] === "string"
  const properties = {
    ...(isRequest
      ? { id: ref("RequestId"), trace: { anyOf: [ref("W3cTraceContext"), { type: "null" }] } }
      : {}),
    method: { const: name },
    ...(params === undefined ? {} : { params }),
  }
  return object(properties, [...(isRequest ? ["id"] : []), "method", ...(needsParams ? ["params"] : [])])
}

const messages = ({ methods }: Wire) => ({
  ...envelope,
  ClientMessage: {
    description: "A message of a client. The answers that it may send are ignored, or end the connection.",
    anyOf: methods.filter((method) => !isOfServer(method)).map(messageOf),
  },
  ServerMessage: {
    description: "A message of a server. Of which type a result is, is told by the method of the request.",
    anyOf: [ref("Response"), ref("ErrorResponse"), ...methods.filter(isOfServer).map(messageOf)],
  },
})

/** The description of a type; undefined if there is none. */
const describeType = (type: string, schema: JsonSchema, docs: Docstrings): string | undefined =>
  docs[type] ?? typeWords[type] ?? (JSON.stringify(schema) === nothing ? "No members." : undefined)

const nothing = JSON.stringify({ type: "object" })

/** The description of a field; undefined if there is none. */
export const describeField = (type: string, field: string, docs: Docstrings): string | undefined =>
  docs[`${type}.${field}`] ?? fieldWords[`${type}.${field}`] ?? fieldWords[field]

const documentedField = (type: string, field: string, shape: JsonSchema, docs: Docstrings): JsonSchema => {
  const { capability, version } = Versions.named.get(`${type}.${field}`) ?? {}
  const words = JSON.stringify(shape["type"] ?? "")
  const unit = /integer|number/.test(words) ? unitOf(field) : undefined
  const description = describeField(type, field, docs)
  return {
    ...(description === undefined ? {} : { description }),
    ...shape,
    ...(unit === undefined ? {} : { "x-unit": unit }),
    ...(version === undefined ? {} : { "x-since": version }),
    ...(capability === undefined ? {} : { "x-capability": capability }),
  }
}

const documented = (
  type: string,
  schema: JsonSchema,
  docs: Docstrings,
  since: string,
  example: unknown,
): JsonSchema => {
  const description = describeType(type, schema, docs)
  const properties = fieldsOf(schema).map(([field, shape]) => [
    field,
    documentedField(type, field, shape, docs),
  ])
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    examples: example === undefined ? [] : [example],
    "x-since": since,
  }
}

/** The document. */
export const make = (wire: Wire, docs: Docstrings): JsonSchema => {
  const since = ofTypes(wire)
  const examples = collect(wire)
  const types = [...wire.types].map(([type, schema]) => [
    type,
    documented(type, schema, docs, since.get(type) ?? "", examples.get(type)),
  ])
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: id(wire.name, "schema"),
    title: wire.title,
    description:
      "The types of the wire. Members that a type does not have are ignored, by both sides. Numbers are written " +
      "without a fraction or an exponent.",
    "x-wire-version": wire.version,
    anyOf: [ref("ClientMessage"), ref("ServerMessage")],
    $defs: { ...messages(wire), ...Object.fromEntries(types) },
  }
}

type Value = { readonly [field: string]: unknown }

const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isType = (value: unknown, type: unknown): boolean => {
  if (Array.isArray(type)) return type.some((each) => isType(value, each))
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return type === undefined || typeof value === type
}

const properties = (schema: JsonSchema) =>
  (schema["properties"] ?? {}) as { readonly [field: string]: JsonSchema }

/** True if an example has more fields than another. */
const isRicher = (one: unknown, other: unknown): boolean =>
  isObject(one) && isObject(other) && Object.keys(one).length > Object.keys(other).length

/** An example of each type, by its name: that with the most fields. */
const collect = ({ methods, types }: Wire): ReadonlyMap<string, unknown> => {
  const found = new Map<string, unknown>()

  /** True if an alternative is meant: its type and the words in it fit. */
  const fits = (schema: JsonSchema, value: unknown): boolean => {
    const name = nameOf(schema)
    if (name !== undefined) return fits(types.get(name) ?? {}, value)
    if ("const" in schema && schema["const"] !== value) return false
    if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false
    if (Array.isArray(schema["anyOf"])) return schema["anyOf"].some((each: JsonSchema) => fits(each, value))
    if (!isType(value, schema["type"])) return false
    if (!isObject(value)) return true
    const tags = Object.entries(properties(schema)).filter(([, part]) => "const" in part || "enum" in part)
    return tags.every(([field, part]) => !Object.hasOwn(value, field) || fits(part, value[field]))
  }

  const visit = (schema: JsonSchema, value: unknown): void => {
    const name = nameOf(schema)
    if (name !== undefined) {
      if (!found.has(name) || isRicher(value, found.get(name))) found.set(name, value)
      return visit(types.get(name) ?? {}, value)
    }
    if (Array.isArray(schema["anyOf"])) {
      const chosen = schema["anyOf"].find((each: JsonSchema) => fits(each, value))
      if (chosen !== undefined) visit(chosen, value)
    }
    if (Array.isArray(value)) for (const item of value) visit((schema["items"] ?? {}) as JsonSchema, item)
    if (!isObject(value)) return undefined
    const others = schema["additionalProperties"] as JsonSchema | undefined
    for (const [field, part] of Object.entries(value)) visit(properties(schema)[field] ?? others ?? {}, part)
  }

  for (const { example, params, result } of methods) {
    for (const value of example.params ?? []) visit(params ?? {}, value)
    for (const value of example.result ?? []) visit(result ?? {}, value)
  }
  visit(
    { $ref: "#/$defs/W3cTraceContext" },
    { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: null },
  )
  return found
}

const { retainedBytes, retainedChunks } = Limits.defaults
const secrets = EnvNames.defaultExcludes.join(", ")

/** By `Type.field`, or by field. */
const fieldWords: { readonly [name: string]: string } = {
  processId: "the id of the process, which its client has chosen; unique in its session, any string",
  sessionId: "the secret that resumes the session: a UUID v4",
  seq: "counts the events of one process from 1: output, marks, exited and closed together",
  stream: "where the output came from; `pty` is stdout and stderr of a process with a PTY",
  chunk: "the bytes, as standard padded base64",
  exitCode: "the exit code; 128 + n after death by signal n; null while it is not known",
  exited: "the process has exited",
  closed: "the process has exited, and no output follows",
  nextSeq: "the seq of the next event; `nextSeq - 1` is the `afterSeq` of the next read",
  signal: "the signal, by a word, a POSIX name or a number; where something has ended: its number",
  endedBy: "what has ended the process",
  limit: "the bound of resources that has ended the process",
  oomKilled: "whether the process was killed because memory ran out",
  sandboxDenied: "whether the process was confined, and probably failed because of that",
  receipt: "what the process wrote and how it ended; asks for that in a start",
  marks: "the marks of a shell in the output; asks for them in a start",
  rows: "the height of the terminal, in character cells",
  columns: "the width of the terminal, in character cells",
  pid: "the id of a process of the host",
  message: "the text of the error",
  path: "a path of the host, as a `file:` URI",
  cwd: "the working directory, as a `file:` URI",
  sandbox: "the confinement that is asked for; absent or null is none",
  followSymlinks: "false: no component of the path may be a symbolic link; the default is true",
  dataBase64: "the content, as standard padded base64",
  handleId: "the id of an open file, which its client has chosen; at most 32 bytes of UTF-8",
  isDirectory: "whether it is a folder",
  isFile: "whether it is a regular file",
  isSymlink: "whether the last component of the path is a symbolic link",
  recursive: "with everything below it, or with the parents that are missing; see the type for the default",
  offset: "where in the file or in the chunk, in bytes",
  watchId: "the id of the watch, which its client has chosen; the greatest counts",
  requestId: "the id of the exchange, which its client has chosen; the frames of a streamed body repeat it",
  name: "its name",
  value: "its value",
  headers: "the headers, in order",
  bodyBase64: "the body, as standard padded base64",
  environmentInfo: "the server and its host",
  capabilities: "what the server can do; what is absent is false",
  shell: "the shell of the user",
  sessions: "`own` (the default) or `all`: those of the own session, or of every session of the server",
  cursor: "the `nextCursor` of the page before; absent for the first page",
  nextCursor: "the `cursor` of the next page; null behind the last one",
  states: "only processes in one of these states",
  state: "how far the process has come",
  session: "the number of the session",
  attached: "whether a connection has the session",
  processes: "the processes; in a session their number, closed ones included",
  labels: "what the process is labelled with; in a request: only processes with all of them",
  bytes: "a number of bytes",
  byte: "a place in the output, by the bytes before it over all streams",
  line: "a place in the output, by its line, from 1",
  time: "a place in the output, by when it was printed, in milliseconds since 1970",
  from: "where it begins",
  to: "where it ends",
  text: "the text; bytes that are no UTF-8 are U+FFFD",
  before: "the lines before a match; asks for so many",
  after: "the lines behind a match; asks for so many",
  pattern: "a regular expression; with the flag `l` plain text",
  flags: "letters: `i` either case, `m` lines, `s` dot matches all, `l` plain text",
  ended: "why and where the history has ended before its process",
  nextByte: "where to read on",
  maxBytes: "the most bytes of output to return",
  afterSeq: "only events with a higher seq; absent is 0",
  timeoutMs: "the longest that it may take; absent is no bound",
  port: "a TCP port",
  host: "an IP address, or `localhost`",
  type: "which form it is",
  network: "whether the network may be used",
  subpath: "a path below the place",
  kind: "which kind it is",
  entries: "the entries",
  proxy: "the configuration of the proxy",
  traceparent: "the span of the caller, as the standard has it",
  tracestate: "what others on the way have added, as the standard has it",
  "ExecEnvPolicy.inherit":
    "`all`, `core` or `none` of the variables of the server; " +
    `\`core\` is ${EnvNames.core.unix.join(", ")}, on Windows ${EnvNames.core.windows.join(", ")}`,
  "ExecEnvPolicy.ignoreDefaultExcludes": `whether names that look like secrets are inherited, too: ${secrets}`,
  "ReadResponse.chunks":
    "the retained output after `afterSeq`, in order; of each process the last " +
    `${retainedBytes} bytes are retained, or the last ${retainedChunks} chunks: the oldest goes first, as a whole`,
  "ExecPermissionProfileManaged.file_system": "what is allowed of files",
  "ExecManagedFileSystemPermissionsRestricted.entries": "the access to places; all else is as by default",
  "ExecManagedFileSystemPermissionsRestricted.glob_scan_max_depth": "how deep patterns look",
  "ExecFileSystemPathGlobPattern.pattern": "a pattern of paths",
  "ExecFileSystemPathSpecial.value": "the place",
  "FileSystemSpecialPathUnknown.path": "a kind of a later version, which matches nothing",
}

/** By type: the alternatives of choices. */
const typeWords: { readonly [name: string]: string } = {
  ExecFileSystemPathPath: "A path.",
  ExecFileSystemPathGlobPattern: "A pattern of paths.",
  ExecFileSystemPathSpecial: "A place that depends on the host or the request.",
  FileSystemSpecialPathRoot: "The root of the host.",
  FileSystemSpecialPathMinimal: "What programs need to run.",
  FileSystemSpecialPathProjectRoots: "The roots of the project.",
  FileSystemSpecialPathTmpdir: "The folder for temporary files.",
  FileSystemSpecialPathSlashTmp: "`/tmp`.",
  FileSystemSpecialPathUnknown: "A kind of a later version, which matches nothing.",
  ExecManagedFileSystemPermissionsRestricted: "Only what entries allow.",
  ExecManagedFileSystemPermissionsUnrestricted: "Everything.",
  ExecPermissionProfileManaged: "What this object says.",
  ExecPermissionProfileDisabled: "Everything: there is no confinement.",
  ExecPermissionProfileExternal: "Something else confines the server.",
}

const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/Ms$/, "ms"],
  [/Micros$/, "us"],
  [/[bB]ytes(Cap)?$|^(byte|nextByte|offset|len|size)$/, "bytes"],
  [/^(rows|columns)$/, "cells"],
]

/** The unit of a number, by the name of its field: `ms`, `us`, `bytes` or `cells`. */
const unitOf = (field: string): string | undefined => units.find(([name]) => name.test(field))?.[1]
