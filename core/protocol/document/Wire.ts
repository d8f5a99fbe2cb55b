/** The wires that are documented: what documents need of the tables of methods. */
import * as Abouts from "../../features/Abouts.ts"
import type { Example } from "../../features/Wires.ts"
import * as V0 from "../dialect/v0.ts"
import * as Message from "../Message.ts"
import * as Methods from "../Methods.ts"
import { examples, examplesOfV0 } from "./Examples.ts"
import type { Any } from "../shape/index.ts"
import * as Shape from "./Shape.ts"
import * as Versions from "./Versions.ts"
import { type JsonSchema, nameOf } from "./Shape.ts"

/** A row of a table of methods, or of notifications. */
interface Row {
  readonly says: string
  readonly params?: Any
  readonly result?: Any
  readonly family?: string
  readonly slotted?: boolean
  readonly cancellable?: true
  readonly repeatable?: unknown
}

type Table = { readonly [method: string]: Row }

/** The sender of a message of a method, and if it is answered. */
export type Kind = "request" | "serverRequest" | "clientNotification" | "serverNotification"

/** True for what a server sends. */
export const isOfServer = ({ kind }: Pick<Method, "kind">): boolean =>
  kind === "serverRequest" || kind === "serverNotification"

/** A method of a wire. */
export interface Method {
  readonly name: string
  readonly kind: Kind
  readonly says: string
  /** Undefined where there are none. */
  readonly params: Shape.JsonSchema | undefined
  readonly result: Shape.JsonSchema | undefined
  /** Says if a request whose answer was lost may be sent again. */
  readonly idempotent: "always" | "conditional" | "never"
  readonly cancellable: boolean
  /** The group whose methods need the handshake; undefined for one that needs none. */
  readonly family: string | undefined
  /** True if a running request counts against `--concurrent-requests`. */
  readonly slotted: boolean
  readonly example: Example
}

/** A wire: its methods, and every type that they refer to. */
export interface Wire {
  /** The begin of the names of its files. */
  readonly name: "procwire" | "procwire.v0"
  readonly title: string
  readonly version: string
  readonly methods: ReadonlyArray<Method>
  readonly types: ReadonlyMap<string, Shape.JsonSchema>
}

interface Tables {
  readonly requests: Table
  readonly clientNotifications: Table
  readonly serverNotifications: Table
  readonly serverRequests?: Table
}

const make = (
  about: Pick<Wire, "name" | "title" | "version">,
  { requests, clientNotifications, serverNotifications, serverRequests = {} }: Tables,
  known: { readonly [method: string]: Example },
): Wire => {
  const types: Shape.Definitions = new Map()
  const shapeOf = (schema: Any | undefined) => {
    const shape = schema && Shape.of(schema, types)
    return shape !== undefined && Object.keys(shape).length > 0 ? shape : undefined
  }
  const methodsOf = (kind: Kind, table: Table) =>
    Object.entries(table).map(([name, row]): Method => ({
      name,
      kind,
      says: row.says,
      params: shapeOf(row.params),
      result: shapeOf(row.result),
      idempotent:
        row.repeatable === undefined ? "never" : row.repeatable === "always" ? "always" : "conditional",
      cancellable: row.cancellable === true,
      family: row.family,
      slotted: row.slotted === true,
      example: known[name] ?? {},
    }))
  const methods = [
    ...methodsOf("request", requests),
    ...methodsOf("clientNotification", clientNotifications),
    ...methodsOf("serverNotification", serverNotifications),
    ...methodsOf("serverRequest", serverRequests),
  ]
  shapeOf(Message.TraceContext)
  return { ...about, methods, types }
}

/** The current wire. */
export const current: Wire = make(
  { name: "procwire", title: "procwire", version: Versions.current },
  {
    ...Methods,
    serverNotifications: { ...Methods.serverNotifications, ...Abouts.serverNotifications },
    serverRequests: Abouts.serverRequests,
  },
  examples,
)

/** The first wire, v0. */
export const v0: Wire = make(
  { name: "procwire.v0", title: "procwire, first wire (v0)", version: "0" },
  { ...V0, clientNotifications: { initialized: Methods.clientNotifications.initialized } },
  examplesOfV0,
)

/** All of them. */
export const wires: ReadonlyArray<Wire> = [current, v0]

/** The names of the types that a schema refers to, not through others. */
const refersTo = (schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(refersTo)
  if (typeof schema !== "object" || schema === null) return []
  const name = nameOf(schema as JsonSchema)
  return name === undefined ? Object.values(schema).flatMap(refersTo) : [name]
}

/** The fields of a struct. */
export const fieldsOf = (schema: JsonSchema): ReadonlyArray<readonly [name: string, JsonSchema]> =>
  Object.entries((schema["properties"] ?? {}) as { readonly [name: string]: JsonSchema })

/** The version of each type: that of the first thing that refers to it. */
export const ofTypes = ({ methods, name, types, version }: Wire): ReadonlyMap<string, string> => {
  const since = new Map<string, string>()
  const start = name === "procwire" ? Versions.first : version
  const visit = (type: string, from: string): void => {
    const known = since.get(type)
    if (known !== undefined && Versions.later(known, from) === from) return
    since.set(type, from)
    const schema = types.get(type) ?? {}
    const fields = fieldsOf(schema)
    if (fields.length === 0) for (const next of refersTo(schema)) visit(next, from)
    for (const [field, shape] of fields) {
      const version = Versions.named.get(`${type}.${field}`)?.version ?? start
      for (const next of refersTo(shape)) visit(next, Versions.later(from, version))
    }
  }
  visit("W3cTraceContext", start)
  for (const { name: method, params, result } of methods)
    for (const next of refersTo([params, result])) visit(next, Versions.named.get(method)?.version ?? start)
  return since
}
