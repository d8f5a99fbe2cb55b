/** The JSON-RPC error codes of the wire, and the error object that carries them. */
import * as Data from "effect/Data"
import { isObject, type Json } from "./Json.ts"

/** A malformed message (answered with id -1), a wrong state, an unknown or duplicate process, an unknown session. */
export const invalidRequest = -32600
/** No such method. */
export const methodNotFound = -32601
/** Params that do not decode, or a value that this host does not support. */
export const invalidParams = -32602
/** The operating system refused the request, or the server failed. */
export const internalError = -32603
/** No such file, or no such file handle. */
export const notFound = -32004
/** The session to resume is still attached to another connection. */
export const sessionAttached = -32010
/** The server is shutting down and starts no more processes. */
export const shuttingDown = -32011
/** Another connection has taken the session over; whether the request was carried out is not known. */
export const sessionTaken = -32012

/** The client has cancelled the request (`request/cancel`); the code that the Language Server Protocol has for it. */
export const requestCancelled = -32800
/** The text for it. */
export const cancelledText = "request was cancelled"

/**
 * The cause of a failed start, as `data.kind` of the error: program, working directory or interpreter do not exist
 * (`spawnNotFound`); they may not be executed or entered, or the program is a folder (`spawnPermissionDenied`); any
 * other failure of the start (`spawnFailed`); this server has no such sandbox (`sandboxUnavailable`), or could not set
 * it up (`sandboxPreparation`).
 */
export type ErrorKind =
  | "spawnNotFound"
  | "spawnPermissionDenied"
  | "spawnFailed"
  | "sandboxUnavailable"
  | "sandboxPreparation"

const kinds: { readonly [kind in ErrorKind]: true } = {
  spawnNotFound: true,
  spawnPermissionDenied: true,
  spawnFailed: true,
  sandboxUnavailable: true,
  sandboxPreparation: true,
}

/** The kind that the `data` of an error names; undefined for any other `data`. */
export const kindOf = (data: Json | undefined): ErrorKind | undefined => {
  const kind = data !== undefined && isObject(data) ? data["kind"] : undefined
  return typeof kind === "string" && Object.hasOwn(kinds, kind) ? (kind as ErrorKind) : undefined
}

/** An error response: a server answers with it, and the call of a client fails with it. */
export class RpcError extends Data.TaggedError("RpcError")<{
  /** One of the codes above; a server of another make may use others. */
  readonly code: number
  readonly message: string
  /** Its data for programs: of a process that was not started `{kind}`, an {@link ErrorKind}. */
  readonly data?: Json | undefined
}> {}
