/**
 * A dialect: a version of the wire, as data.
 *
 * Handlers implement operations: the rows of the method table, with a few params and results that only some dialects
 * carry. A dialect maps its methods to operations, with their schemas and the translation of params and results, and
 * says what happens to everything else that a client may send. No code outside of this folder asks for its name.
 */
import type { ClosedFields, FeatureEvent } from "../../features/Wires.ts"
import type * as Result from "effect/Result"
import type { RpcError } from "../ErrorCode.ts"
import type { MemoryPool } from "../MemoryPool.ts"
import type { Request } from "../Message.ts"
import type * as Methods from "../Methods.ts"
import type { EndedBy, OutputStream, ResourceLimit } from "../Process.ts"

/** Params of operations that are not in the method table. */
export interface Beyond {
  /** Only in v0: the most bytes of output to retain, if that is less than the limit of the server. */
  readonly "process/start": { readonly retainedBytes?: number }
}

/** The params that the handler of an operation takes. */
export type OperationParams<O extends Methods.RequestName> = Methods.ParamsOf<O> &
  (O extends keyof Beyond ? Beyond[O] : unknown)
/** The result that the handler of an operation returns. */
export type OperationResult<O extends Methods.RequestName> = Methods.ResultOf<O>

/** The way in which a decoded request is answered. */
export type Served =
  /** With a constant, in every state of the connection. */
  | { readonly kind: "constant"; readonly result: unknown }
  /** By the handler of an operation. A result that the dialect cannot express becomes an error. */
  | {
      readonly kind: "operation"
      readonly operation: Methods.RequestName
      /** Absent: the params of the method are those of the operation. */
      readonly toParams?: (params: unknown) => unknown
      /** Absent: its result is that of the operation. */
      readonly toResult?: (result: unknown, params: unknown) => Result.Result<unknown, RpcError>
    }

/** One method of a dialect. `operation` and `constant` check that the types of its parts match. */
export interface Route {
  /** Schemas and properties of the method. */
  readonly row: Methods.RequestMethod<unknown, unknown, unknown, unknown>
  /** The way in which it is answered. */
  readonly served: Served
}

/** A chunk of output. */
export interface Output {
  /** The kind of the event. */
  readonly kind: "output"
  /** Its place among the events of the process, from 1. */
  readonly seq: number
  /** The stream that it came from. */
  readonly stream: OutputStream
  /** The content. */
  readonly bytes: Uint8Array
}

/** The events of a process, as connections report them. */
export type Event =
  | Output
  | FeatureEvent
  | {
      readonly kind: "exited"
      readonly seq: number
      readonly exitCode: number
      /** The number of the signal that killed the process. */
      readonly signal?: number | undefined
      /** True if the process was confined and probably failed because of that. */
      readonly sandboxDenied: boolean
      /** The bound of resources that has ended the process. */
      readonly limit?: ResourceLimit | undefined
      /** True if memory ran out. */
      readonly oomKilled?: boolean | undefined
      /** The cause of the end, if that is to be reported. */
      readonly endedBy?: EndedBy | undefined
    }
  | ({ readonly kind: "closed"; readonly seq: number } & ClosedFields)

/** A version of the wire. */
export interface Dialect {
  /** The methods by name. */
  readonly routes: { readonly [method: string]: Route }
  /** The error for a method without a route. */
  readonly unknownMethod: (method: string) => RpcError
  /** True if methods with a family need the handshake. If not, the first of them opens the session. */
  readonly handshake: boolean
  /**
   * The notification of the client that has this name. False ends the connection; an error is answered with id -1.
   * `opened` is true if there is a session.
   */
  readonly notification: (
    method: string,
    opened: boolean,
  ) => Methods.ClientNotificationName | false | RpcError
  /** True if an answer without a request ends the connection; otherwise it is ignored. */
  readonly endsOnStrayAnswer: boolean
  /** True if a malformed message ends the connection; otherwise it is answered with id -1. */
  readonly endsOnMalformed: boolean
  /**
   * Encodes the events of one process, output into memory of the pool if there is one; undefined for an event that the
   * dialect does not report.
   */
  readonly events: (
    processId: string,
    memory?: MemoryPool,
  ) => (event: Event) => string | Uint8Array | undefined
  /** For a dialect that has yet to be detected: the dialect that this request decides for, if any. */
  readonly next?: (request: Request) => Dialect | undefined
}

/** A method that an operation answers. */
export const operation = <O extends Methods.RequestName, P, PI, R, RI>(
  name: O,
  row: Methods.RequestMethod<P, PI, R, RI>,
  translation: {
    readonly toParams: (params: P) => OperationParams<O>
    readonly toResult: (result: OperationResult<O>, params: P) => Result.Result<R, RpcError>
  },
): Route => ({
  // One table holds routes of all types. The router passes to a route only what its own row has decoded.
  row: row as unknown as Route["row"],
  served: { kind: "operation", operation: name, ...translation } as unknown as Served,
})

/** A method that is answered with a constant. */
export const constant = <P, PI, R, RI>(row: Methods.RequestMethod<P, PI, R, RI>, result: R): Route => ({
  row: row as unknown as Route["row"],
  served: { kind: "constant", result },
})

/** A method that is a row of the method table, without any translation. */
export const untranslated = (name: Methods.RequestName, row: unknown): Route => ({
  row: row as Route["row"],
  served: { kind: "operation", operation: name },
})
