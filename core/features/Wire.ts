/**
 * The wire of a feature, as data: the method table, the params of a start, the capabilities and the events of processes
 * derive from it. A wire imports the parts of the protocol below the method table alone.
 */
import type * as Schema from "effect/Schema"
import type { RequestMethod } from "../protocol/Method.ts"

/** A row of the method table, of any types. */
export type Row = Pick<
  RequestMethod<never, never, never, never>,
  "family" | "slotted" | "cancellable" | "says"
> & {
  /** The schema of the params. */
  readonly params: Schema.Schema.All
  /** The schema of the result. */
  readonly result: Schema.Schema.All
  /** True for params with which the request may be sent twice. */
  readonly repeatable?: unknown
  /** The JSON text of a result, where that is faster than the schema. */
  readonly toText?: (result: never) => string
}

/** An event with a seq of its own. */
export interface HasSeq {
  /** The kind of event. */
  readonly kind: string
  /** Its place among the output and the other events of the process. */
  readonly seq: number
}

/** An event of processes, and the notification that carries it. */
export interface EventRow {
  /** The name of the notification. */
  readonly method: `process/${string}`
  /** The schema of its params. */
  readonly params: Schema.Schema.All
  /** One line for lists of methods. */
  readonly says: string
  /** The field of the result of `process/read` with these events, as the params have them, but for `processId`. */
  readonly readField?: string
  /** The params, not encoded yet. */
  readonly toParams: (processId: string, event: never) => object
}

/** A notification of the server. */
export interface Notice {
  /** The schema of its params. */
  readonly params: Schema.Schema.All
  /** One line for lists of methods. */
  readonly says: string
}

/** The wire of a feature. */
export interface Wire {
  /** The names in `environment/info`. */
  readonly capabilities: { readonly [name: string]: typeof Schema.Boolean }
  /** Fields of the params of `process/start`. */
  readonly startFields?: Schema.Struct.Fields
  /** Fields of the result of `process/start`. */
  readonly startedFields?: Schema.Struct.Fields
  /** Fields of the result of `process/read`. */
  readonly readFields?: Schema.Struct.Fields
  /** Fields of `process/closed`, and of the result of `process/read` for a closed process. */
  readonly closedFields?: Schema.Struct.Fields
  /** Fields of a process in lists. */
  readonly rowFields?: Schema.Struct.Fields
  /** Requests by name. */
  readonly requests?: { readonly [method: string]: Row }
  /** Notifications of the server that are no events of a process, by name. */
  readonly notifications?: { readonly [method: string]: Notice }
  /** Events by kind. */
  readonly events?: { readonly [kind: string]: EventRow }
}

/** Examples of a message, as on the wire. */
export interface Example {
  /** Of its params. */
  readonly params?: ReadonlyArray<unknown>
  /** Of its result. */
  readonly result?: ReadonlyArray<unknown>
}

/** The documents of a wire. Docstrings of the schemas describe them; this is the rest. */
export interface About {
  /** The version of the wire that it came with: its methods and fields, behind the first of its capabilities. */
  readonly since: string
  /** By version and capability: names that came otherwise, or that follow from no part of it (`ReadParams.waitMs`). */
  readonly adds?: { readonly [version: string]: { readonly [capability: string]: ReadonlyArray<string> } }
  /** Examples of its methods by name, and of its fields by part. The document generator alone calls it. */
  readonly examples: () => { readonly [methodOrPart: string]: Example | object }
}

/** Checks a wire, and keeps its types. */
export const make = <const W extends Wire>(wire: W): W => wire

const abouts = new WeakMap<Wire, About>()

/** Documents a wire. Its type, and so the declarations of the method table, stay without examples. */
export const document = (wire: Wire, about: About): void => {
  abouts.set(wire, about)
}

/** The documents of a wire. */
export const aboutOf = (wire: Wire): About => {
  const about = abouts.get(wire)
  if (about === undefined)
    throw new Error(`no Wire.document for the wire of ${Object.keys(wire.capabilities).join()}`)
  return about
}

/** Types the row of an event by its schema. */
export const event = <M extends EventRow["method"], P, PI, E extends HasSeq>(row: {
  readonly method: M
  readonly params: Schema.Schema<P, PI>
  readonly says: string
  readonly readField?: string
  readonly toParams: (processId: string, event: E) => P & object
}) => row
