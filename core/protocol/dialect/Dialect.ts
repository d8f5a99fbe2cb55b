/**
 * A dialect: one way in which a connection says what the server does, as data.
 *
 * The operations are the rows of the method table and what their handlers answer beyond it. A dialect says which
 * methods name them, with which schemas, how params and results are translated, and what becomes of everything
 * that is no request it knows. Nothing outside of this folder asks which dialect a connection speaks.
 */
import * as Either from "effect/Either"
import type { RpcError } from "../ErrorCode.ts"
import type { Request } from "../Message.ts"
import type * as Methods from "../Methods.ts"
import type { OutputStream } from "../Process.ts"

/** What an operation takes and answers beyond what the method table shows of it. */
interface Beyond {
  readonly "process/start": {
    /** Most bytes of output to retain, if that is less than the server would. */
    readonly params: { readonly retainedBytes?: number }
    /** The pid of the child, where the spawner knows it. */
    readonly result: { readonly pid?: number | undefined }
  }
}

type More<O, Part extends "params" | "result"> = O extends keyof Beyond ? Beyond[O][Part] : unknown

export type OperationParams<O extends Methods.RequestName> = Methods.ParamsOf<O> & More<O, "params">
export type OperationResult<O extends Methods.RequestName> = Methods.ResultOf<O> & More<O, "result">

/** How a decoded request of a dialect is answered. */
export type Served =
  /** Always the same, in every state of the connection. */
  | { readonly kind: "constant"; readonly result: unknown }
  /** By the handler of an operation; what cannot be said as a result is an error. */
  | {
      readonly kind: "operation"
      readonly operation: Methods.RequestName
      readonly toParams: (params: unknown) => unknown
      readonly toResult: (result: unknown, params: unknown) => Either.Either<unknown, RpcError>
    }

/** One method of a dialect. The types of its row and its translation belong together: see `operation`. */
export interface Route {
  readonly row: Methods.RequestMethod<unknown, unknown, unknown, unknown>
  readonly served: Served
}

/** What happens to a process, as a connection tells of it. */
export type Event =
  | {
      readonly kind: "output"
      readonly seq: number
      readonly stream: OutputStream
      readonly bytes: Uint8Array
    }
  | {
      readonly kind: "exited"
      readonly seq: number
      readonly exitCode: number
      /** The signal that the process died of. */
      readonly signal?: number | undefined
      /** It was confined, and probably failed because of that. */
      readonly sandboxDenied: boolean
    }
  | { readonly kind: "closed"; readonly seq: number }

export interface Dialect {
  readonly routes: { readonly [method: string]: Route }
  readonly unknownMethod: (method: string) => RpcError
  /** Whether methods with a family wait for the handshake; without one the first of them opens the session. */
  readonly handshake: boolean
  /**
   * Takes a notification of the client, if it knows it; false ends the connection, an error is answered with id -1.
   * `opened` tells whether there is a session.
   */
  readonly notification: (method: string, opened: boolean) => boolean | RpcError
  /** Whether an answer to no request ends the connection; otherwise nothing becomes of it. */
  readonly endsOnStrayAnswer: boolean
  /** Whether a malformed message ends the connection; otherwise it is answered with id -1. */
  readonly endsOnMalformed: boolean
  /** The messages that tell of one process. An event without one is not told. */
  readonly events: (processId: string) => (event: Event) => string | Uint8Array | undefined
  /** Of a dialect that is still to be found out: which one this request decides for, if it does. */
  readonly next?: (request: Request) => Dialect | undefined
}

/** A method that an operation answers; whoever writes it down is held to the types of both. */
export const operation = <O extends Methods.RequestName, P, PI, R, RI>(
  name: O,
  row: Methods.RequestMethod<P, PI, R, RI>,
  translation: {
    readonly toParams: (params: P) => OperationParams<O>
    readonly toResult: (result: OperationResult<O>, params: P) => Either.Either<R, RpcError>
  },
): Route => ({
  // Rows and translations of all types lie in one table; the router gives each only what its own row has made.
  row: row as unknown as Route["row"],
  served: { kind: "operation", operation: name, ...translation } as unknown as Served,
})

/** A method that is answered without looking. */
export const constant = <P, PI, R, RI>(row: Methods.RequestMethod<P, PI, R, RI>, result: R): Route => ({
  row: row as unknown as Route["row"],
  served: { kind: "constant", result },
})

/** An operation whose method is a row of the method table. */
export const asItIs = (name: Methods.RequestName, row: unknown): Route => ({
  row: row as Route["row"],
  served: {
    kind: "operation",
    operation: name,
    toParams: (params) => params,
    toResult: (result) => Either.right(result),
  },
})
