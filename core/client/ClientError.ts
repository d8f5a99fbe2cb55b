/** Everything that can go wrong for a client, as one error with a closed set of reasons. */
import * as Data from "effect/Data"

export type ClientReason =
  /** The connection could not be made. */
  | "Connect"
  /** The connection has ended; what was asked may or may not have been done. */
  | "Disconnected"
  /** The server refused; `code` is the wire's. */
  | "Server"
  /** The server's answer is not what the protocol says. */
  | "Protocol"
  /** No answer in time. */
  | "Timeout"
  /** This client already follows a process of that id. */
  | "Duplicate"
  /** The process has no stdin to write to. */
  | "StdinClosed"
  /** The server does not know the process (any more). */
  | "UnknownProcess"
  /** Events of the process are gone for good; the message names them. */
  | "EventsLost"
  /** The body of an HTTP response broke off, or its time was over. */
  | "BodyBroken"
  /** The caller gave up before the process had started. */
  | "Abandoned"

/** Numbers of events that no longer exist anywhere; without `to`, all from `from` on. */
export interface Gone {
  readonly from: number
  readonly to?: number
}

/** `message` is for people, `reason` and `code` are for programs. */
export class ClientError extends Data.TaggedError("ClientError")<{
  readonly reason: ClientReason
  readonly message: string
  /** The error code of the wire, with the reason `Server`. */
  readonly code?: number
  /** With the reason `EventsLost`: the first and the last seq that are gone, as far as that is known. */
  readonly gone?: Gone
  readonly cause?: unknown
}> {}
