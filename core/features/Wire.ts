/**
 * The wire of a feature, as data: the method table, the params of a start, the capabilities and the events of processes
 * derive from it. A wire imports the parts of the protocol below the method table alone.
 */
import type * as Schema from "effect/Schema"
import type { RequestMethod } from "../protocol/Method.ts"

/** A row of the method table, of any types. */
type Row = Pick<RequestMethod<never, never, never, never>, "family" | "slotted" | "cancellable" | "says"> & {
  readonly params: Schema.Schema.All
  readonly result: Schema.Schema.All
  readonly repeatable?: unknown
  readonly toText?: (result: never) => string
}

/** An event with a seq of its own. */
interface HasSeq {
  readonly kind: string
  readonly seq: number
}

/** An event of processes, and the notification that carries it. */
export interface EventRow {
  readonly method: `process/${string}`
  readonly params: Schema.Schema.All
  /** One line for lists of methods. */
  readonly says: string
  /** The params, not encoded yet. */
  readonly toParams: (processId: string, event: never) => object
}

/** The wire of a feature. */
export interface Wire {
  /** The names in `environment/info`. */
  readonly capabilities: { readonly [name: string]: typeof Schema.Boolean }
  /** Fields of the params of `process/start`. */
  readonly startFields?: Schema.Struct.Fields
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
  readonly toParams: (processId: string, event: E) => P & object
}) => row
