/**
 * `procwire.meta.json`: the methods of a wire with their direction, capability, idempotence and errors; the versions of
 * the wire; and the capabilities of a server.
 */
import * as EnvNames from "../EnvNames.ts"
import * as ErrorCode from "../ErrorCode.ts"
import * as ErrorText from "../ErrorText.ts"
import * as Limits from "../Limits.ts"
import * as SystemText from "../SystemText.ts"
import { type Docstrings, describeField, fileOf } from "./SchemaDocument.ts"
import { nameOf, type JsonSchema } from "./Shape.ts"
import * as Texts from "./Texts.ts"
import * as Versions from "./Versions.ts"
import { fieldsOf, isOfServer, type Kind, type Method, type Wire } from "./Wire.ts"

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

/** The description of an error, from the docstring of its code. */
export const describeError = (name: string, docs: Docstrings): string => docs[`ErrorCode.${name}`] ?? name

const directions: { readonly [kind in Kind]: string } = {
  request: "client to server, answered",
  serverRequest: "server to client, answered",
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
  family: wire.name === "procwire" ? method.family : undefined,
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
    ...(method.kind === "serverRequest" ? { result: refer(wire, method.result) } : {}),
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

/** The failures of the operating system, whose texts are those of `systemError` with the numbers of the system. */
const systemTexts = () => ({
  code: ErrorCode.internalError,
  codesOfFiles: {
    ENOENT: ErrorCode.notFound,
    EINVAL: ErrorCode.invalidRequest,
    EACCES: ErrorCode.invalidRequest,
    EPERM: ErrorCode.invalidRequest,
  },
  message: "{text} (os error {number})",
  level: "must",
  says:
    "What the operating system refuses, with the number that it has there. `spawnKinds` has what `error.data.kind` " +
    "is where a process was not started; of other errors it is `spawnFailed`.",
  texts: SystemText.texts,
  linux: SystemText.linux,
  spawnKinds: { ENOENT: "spawnNotFound", EACCES: "spawnPermissionDenied", EPERM: "spawnPermissionDenied" },
})

/** The steps that make an environment from an `envPolicy`, in their order. */
const environment = () => ({
  says: [
    "Without `envPolicy` the environment is `env`, and nothing else.",
    "`inherit` takes the variables of the server: `all`, those that `core` has for the system, or `none`.",
    "Names that match a pattern of `exclude`, or of `defaultExcludes` unless `ignoreDefaultExcludes`, are dropped.",
    "The variables of `set` are added.",
    "Unless `includeOnly` is empty, names that match none of its patterns are dropped.",
    "The variables of `env` are added.",
    "The names of `neverPassed` are removed, whoever has set them.",
  ],
  patterns:
    "They match whole names without case; `*` is any text and `?` any character, and nothing else is special.",
  core: EnvNames.core,
  defaultExcludes: EnvNames.defaultExcludes,
  neverPassed: { exactly: EnvNames.strippedExactly, inAnyCase: EnvNames.stripped },
})

/** Times and sizes that a server keeps by default; its operator may choose others. */
const limits = () => ({
  closedProcess: {
    default: Limits.keptMillis.closedProcess,
    unit: "ms",
    says: "how long a closed process can be read, and its id is taken",
  },
  detachedSession: {
    default: Limits.keptMillis.detachedSession,
    unit: "ms",
    says: "how long a session without a connection can be resumed; then its processes are killed",
  },
  ...Object.fromEntries(
    Limits.names.map((name) => {
      const { flag, unit, default: usual, help }: Limits.Limit = Limits.table[name]
      return [name, { flag: `--${flag}`, default: usual, unit, says: help }]
    }),
  ),
})

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
    ...(isCurrent
      ? {
          texts: Texts.texts,
          labels: ErrorText.labels,
          systemError: systemTexts(),
          environment: environment(),
          limits: limits(),
          capabilities: capabilitiesOf(wire, docs),
          versions: versionsOf(),
        }
      : {}),
  }
}

const at = (wire: Wire, type: string, field = "") => `${fileOf(wire)}#/$defs/${type}${field}`

/** The names of the params, each with a reference into the schema file. */
const paramsOf = (wire: Wire, { params = {} }: Method) => {
  const type = nameOf(params) ?? ""
  const schema = wire.types.get(type) ?? {}
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  return fieldsOf(schema).map(([name]) => ({
    name,
    required: required.includes(name),
    schema: { $ref: at(wire, type, `/properties/${name}`) },
  }))
}

const resultOf = (wire: Wire, { result = {} }: Method) => {
  const type = nameOf(result) ?? ""
  return { name: type, schema: { $ref: at(wire, type) } }
}

const errorsFor = (wire: Wire, method: Method) =>
  errorsOf(wire, method).map((name) => ({ $ref: `#/components/errors/${name}` }))

const methodOf = (wire: Wire, method: Method) => ({
  name: method.name,
  summary: method.says,
  paramStructure: "by-name",
  params: paramsOf(wire, method),
  ...(method.kind === "request"
    ? { result: resultOf(wire, method), errors: errorsFor(wire, method) }
    : { "x-direction": isOfServer(method) ? "server to client" : "client to server" }),
  ...(method.kind === "serverRequest" ? { result: resultOf(wire, method) } : {}),
})

/** The document. */
export const makeOpenRpc = (wire: Wire, docs: Docstrings) => {
  const names = [...new Set(wire.methods.flatMap((method) => errorsOf(wire, method)))]
  const errors = names.map((name) => [name, { code: codes[name], message: describeError(name, docs) }])
  return {
    openrpc: "1.3.2",
    info: { title: wire.title, version: wire.version },
    methods: wire.methods.map((method) => methodOf(wire, method)),
    components: { errors: Object.fromEntries(errors) },
  }
}
