/**
 * `procwire.schema.json`: every type of a wire as JSON Schema 2020-12, with descriptions, units and examples, and the
 * version of the wire and the capability that it came with.
 */
import { collect } from "./Collect.ts"
import { fieldsOf, ofTypes } from "./Origin.ts"
import type { JsonSchema } from "./Shape.ts"
import * as Versions from "./Versions.ts"
import type { Method, Wire } from "./Wire.ts"
import * as Words from "./Words.ts"

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
  const isRequest = kind === "request"
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
    anyOf: methods.filter(({ kind }) => kind !== "serverNotification").map(messageOf),
  },
  ServerMessage: {
    description: "A message of a server. Of which type a result is, is told by the method of the request.",
    anyOf: [
      ref("Response"),
      ref("ErrorResponse"),
      ...methods.filter(({ kind }) => kind === "serverNotification").map(messageOf),
    ],
  },
})

/** What a type is; undefined if nothing says it. */
export const describeType = (type: string, docs: Docstrings): string | undefined =>
  docs[type] ?? Words.types[type]

/** What a field is; undefined if nothing says it. */
export const describeField = (type: string, field: string, docs: Docstrings): string | undefined =>
  docs[`${type}.${field}`] ?? Words.fields[`${type}.${field}`] ?? Words.fields[field]

const documentedField = (type: string, field: string, shape: JsonSchema, docs: Docstrings): JsonSchema => {
  const { capability, version } = Versions.named.get(`${type}.${field}`) ?? {}
  const words = JSON.stringify(shape["type"] ?? "")
  const unit = /integer|number/.test(words) ? Words.unitOf(field) : undefined
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
  const description = describeType(type, docs)
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
