/**
 * The wire of a feature, as data: the method table, the params of a start, the capabilities and the events of processes
 * derive from it. A wire imports the parts of the protocol below the method table alone.
 */
import type * as Shape from "../protocol/shape/index.ts"
import type { RequestMethod } from "../protocol/Method.ts"

/** A row of the method table, of any types. */
export type Row = Pick<
  RequestMethod<never, never, never, never>,
  "family" | "slotted" | "cancellable" | "says"
> & {
  /** The shape of the params. */
  readonly params: Shape.Any
  /** The shape of the result. */
  readonly result: Shape.Any
  /** True for params with which the request may be sent twice. */
  readonly repeatable?: unknown
  /** The JSON text of a result, where that is faster than the shape. */
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
  /** The shape of its params. */
  readonly params: Shape.Any
  /** One line for lists of methods. */
  readonly says: string
  /** The field of the result of `process/read` with these events, as the params have them, but for `processId`. */
  readonly readField?: string
  /** The params, not encoded yet. */
  readonly toParams: (processId: string, event: never) => object
}

/** A notification of the server. */
export interface Notice {
  /** The shape of its params. */
  readonly params: Shape.Any
  /** One line for lists of methods. */
  readonly says: string
}

/** A request of the server. */
export interface Question extends Notice {
  /** The shape of the result. */
  readonly result: Shape.Any
}

/** The wire of a feature. */
export interface Wire {
  /** The names in `environment/info`. */
  readonly capabilities: { readonly [name: string]: typeof Shape.boolean }
  /** Fields of the params of `process/start`. */
  readonly startFields?: Shape.Fields
  /** Fields of the result of `process/start`. */
  readonly startedFields?: Shape.Fields
  /** Fields of the result of `process/read`. */
  readonly readFields?: Shape.Fields
  /** Fields of `process/closed`, and of the result of `process/read` for a closed process. */
  readonly closedFields?: Shape.Fields
  /** Fields of a process in lists. */
  readonly rowFields?: Shape.Fields
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

/** The documents of a wire. Docstrings of the shapes describe them; this is the rest. */
export interface About {
  /** The version of the wire that it came with: its methods and fields, behind the first of its capabilities. */
  readonly since: string
  /** By version and capability: names that came otherwise, or that follow from no part of it (`ReadParams.waitMs`). */
  readonly adds?: { readonly [version: string]: { readonly [capability: string]: ReadonlyArray<string> } }
  /** Notifications of the server that clients ignore, by name: beside the wire, with the documents alone. */
  readonly serverNotifications?: { readonly [method: string]: Notice }
  /** Requests of the server, by name; they are there, too. */
  readonly serverRequests?: { readonly [method: string]: Question }
  /** Examples of its methods by name, and of its fields by part. The document generator alone calls it. */
  readonly examples: () => { readonly [methodOrPart: string]: Example | object }
}

/** Checks a wire, and keeps its types. */
export const make = <const W extends Wire>(wire: W): W => wire

/** Types the row of an event by its shape. */
export const event = <M extends EventRow["method"], P, PI, E extends HasSeq>(row: {
  readonly method: M
  readonly params: Shape.Shape<P, PI>
  readonly says: string
  readonly readField?: string
  readonly toParams: (processId: string, event: E) => P & object
}) => row
