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
  /** Events by kind. */
  readonly events?: { readonly [kind: string]: EventRow }
}

/** Checks a wire, and keeps its types. */
export const make = <const W extends Wire>(wire: W): W => wire

/** Types the row of an event by its schema. */
export const event = <M extends EventRow["method"], P, PI, E extends HasSeq>(row: {
  readonly method: M
  readonly params: Schema.Schema<P, PI>
  readonly says: string
  readonly readField?: string
  readonly toParams: (processId: string, event: E) => P & object
}) => row
