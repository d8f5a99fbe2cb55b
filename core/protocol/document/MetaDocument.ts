/**
 * `procwire.meta.json`: the methods of a wire with their direction, capability, idempotence and errors; the versions of
 * the wire; and the capabilities of a server.
 */
import * as ErrorCode from "../ErrorCode.ts"
import { type Docstrings, describeField, fileOf } from "./SchemaDocument.ts"
import { nameOf, type JsonSchema } from "./Shape.ts"
import * as Versions from "./Versions.ts"
import type { Kind, Method, Wire } from "./Wire.ts"

/** The error codes, by the names of their constants. */
export const codes = {
  invalidRequest: ErrorCode.invalidRequest,
  methodNotFound: ErrorCode.methodNotFound,
  invalidParams: ErrorCode.invalidParams,
  internalError: ErrorCode.internalError,
  notFound: ErrorCode.notFound,
  sessionAttached: ErrorCode.sessionAttached,
  shuttingDown: ErrorCode.shuttingDown,
  sessionTaken: ErrorCode.sessionTaken,
  requestCancelled: ErrorCode.requestCancelled,
} as const

type ErrorName = keyof typeof codes

/** When a request may be sent again that may not always be. */
const conditions: { readonly [method: string]: string } = {
  "process/write": "with a writeId",
  "fs/createDirectory": "unless recursive is false",
  "fs/remove": "unless force is false",
}

/** The errors of requests, and which requests have them. */
const errors: ReadonlyArray<readonly [ErrorName, (method: Method) => boolean]> = [
  ["invalidRequest", () => true],
  ["invalidParams", () => true],
  ["internalError", () => true],
  ["notFound", ({ family }) => family === "filesystem"],
  ["sessionAttached", ({ name }) => name === "initialize"],
  ["shuttingDown", ({ name }) => name === "process/start"],
  ["sessionTaken", ({ family }) => family !== undefined],
  ["requestCancelled", ({ cancellable }) => cancellable],
]

const common: ReadonlyArray<ErrorName> = ["invalidRequest", "invalidParams", "internalError"]

/** The names of the errors that a request can have. */
export const errorsOf = (wire: Wire, method: Method): ReadonlyArray<ErrorName> =>
  method.kind === "request"
    ? errors
        .filter(([name, has]) => (wire.name === "procwire" || common.includes(name)) && has(method))
        .map(([name]) => name)
    : []

/** What an error is, from the docstring of its code. */
export const describeError = (name: string, docs: Docstrings): string => docs[`ErrorCode.${name}`] ?? name

const directions: { readonly [kind in Kind]: string } = {
  request: "client to server, answered",
  clientNotification: "client to server, not answered",
  serverNotification: "server to client, not answered",
}

const refer = (wire: Wire, schema: JsonSchema | undefined) => {
  if (schema === undefined) return undefined
  const name = nameOf(schema)
  return name === undefined ? schema : { $ref: `${fileOf(wire)}#/$defs/${name}` }
}

const aboutRequest = (wire: Wire, method: Method) => ({
  result: refer(wire, method.result),
  idempotent: method.idempotent,
  idempotentIf: method.idempotent === "conditional" ? conditions[method.name] : undefined,
  cancellable: method.cancellable,
  needsHandshake: method.family !== undefined && wire.name === "procwire",
  concurrencyLimited: method.slotted,
  errors: errorsOf(wire, method),
})

const aboutMethod = (wire: Wire, method: Method) => {
  const { version, capability } = Versions.named.get(method.name) ?? {}
  return {
    direction: directions[method.kind],
    says: method.says,
    since: wire.name === "procwire" ? (version ?? Versions.first) : wire.version,
    capability: wire.name === "procwire" ? capability : undefined,
    params: refer(wire, method.params),
    ...(method.kind === "request" ? aboutRequest(wire, method) : {}),
  }
}

const versionsOf = () =>
  Versions.versions.map(({ adds, addsToAll = [], changes = [], says, version }) => ({
    version,
    says,
    adds: [...addsToAll, ...Object.values(adds).flat()],
    capabilities: Object.keys(adds),
    changes,
  }))

const capabilitiesOf = (wire: Wire, docs: Docstrings) => {
  const type = "PartialCapabilities"
  const names = Object.keys((wire.types.get(type)?.["properties"] ?? {}) as object)
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        says: describeField(type, name, docs),
        since: Versions.named.get(`${type}.${name}`)?.version ?? Versions.first,
      },
    ]),
  )
}

/** The document. */
export const make = (wire: Wire, docs: Docstrings) => {
  const used = new Set(wire.methods.flatMap((method) => errorsOf(wire, method)))
  const names: ReadonlyArray<ErrorName> = ["methodNotFound", ...used]
  const isCurrent = wire.name === "procwire"
  return {
    title: wire.title,
    version: wire.version,
    schema: fileOf(wire),
    methods: Object.fromEntries(wire.methods.map((method) => [method.name, aboutMethod(wire, method)])),
    errors: Object.fromEntries(
      names.map((name) => [name, { code: codes[name], says: describeError(name, docs) }]),
    ),
    ...(isCurrent ? { capabilities: capabilitiesOf(wire, docs), versions: versionsOf() } : {}),
  }
}
