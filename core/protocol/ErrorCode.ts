/** The error codes of the wire and the error object that carries them. */
import * as Data from "effect/Data"

/** Malformed message (with id -1), wrong state, unknown or duplicate process, unknown session. */
export const invalidRequest = -32600
/** No such method. */
export const methodNotFound = -32601
/** Params that do not decode, or a value that this host cannot take. */
export const invalidParams = -32602
/** The operating system refused, or the server failed. */
export const internalError = -32603
/** No such file, or no such file handle. */
export const notFound = -32004
/** A session that is still attached to another connection cannot be resumed. */
export const sessionAttached = -32010
/** A server that has been asked to end starts nothing any more. */
export const shuttingDown = -32011

/** An error response: what a server answers and what a client's call fails with. */
export class RpcError extends Data.TaggedError("RpcError")<{
  readonly code: number
  readonly message: string
}> {}
