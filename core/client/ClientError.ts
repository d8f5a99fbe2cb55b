/** The error of a client, with a closed set of reasons. */
import * as Data from "effect/Data"
import type { ErrorKind } from "../protocol/ErrorCode.ts"

/** The reason of a failure. */
export type ClientReason =
  /** The connection could not be made. */
  | "Connect"
  /** The connection has ended. It is unknown whether the server carried out the request. */
  | "Disconnected"
  /** The session has ended on the server, and the process with it; only with `onSessionLost: "new"`. */
  | "SessionLost"
  /** The server answered with an error; `code` is its JSON-RPC error code. */
  | "Server"
  /** The program of a start does not exist, or is not in the PATH of the process. */
  | "ProgramNotFound"
  /** The program of a start exists, but cannot be executed. */
  | "ProgramNotExecutable"
  /** The working directory of a start does not exist, or is no directory. */
  | "WorkingDirectory"
  /** A message of the server does not follow the protocol. */
  | "Protocol"
  /** The server did not answer in time. */
  | "Timeout"
  /** This client already follows a process with that id. */
  | "Duplicate"
  /** The process has no open stdin. */
  | "StdinClosed"
  /** The server does not know the process, or not any more. */
  | "UnknownProcess"
  /** The server no longer retains events of the process; `gone` has their range. */
  | "EventsLost"
  /** The body of an HTTP response broke off, or timed out. */
  | "BodyBroken"
  /** An attachment has ended before its process: that was removed, its session has ended, or this client has left. */
  | "Detached"
  /** The start was interrupted before the server had answered. */
  | "Abandoned"
  /** There is no such option, or it cannot have that value. Nothing was sent. */
  | "InvalidOption"
  /** The output of `run` exceeds `maxBuffer`; the process was terminated. */
  | "OutputTooLarge"
  /** With `reject: true` of `run`, and by `$`: the exit code was not 0, a signal or a deadline has ended the process. */
  | "Failed"
  /** The `input` of `run` has failed, with the `cause`; the process was terminated. */
  | "InputFailed"
  /**
   * The target of `run` (`stdout: { file }`, the stdout of this program) cannot be written, with the `cause`; the
   * process was terminated, or not started.
   */
  | "OutputFailed"
  /** The stdout that was asked for as JSON is none. */
  | "NotJson"

/** A range of events that are lost, by their seq. */
export interface Gone {
  /** The first lost seq. */
  readonly from: number
  /** The last lost seq. Without it all events from `from` on are lost: the server has forgotten the process. */
  readonly to?: number
}

/** A failure of a client. `message` is for people; `reason` and `code` are for programs. */
export class ClientError extends Data.TaggedError("ClientError")<{
  /** The reason of the failure. */
  readonly reason: ClientReason
  /** For people. With the reason `Server` it is the message of the server, behind what has failed. */
  readonly message: string
  /**
   * The name of the failure of the system, as in Node, where it is known: `ENOENT`, `ECONNREFUSED`. Else `rpcCode`.
   */
  readonly code?: number | string
  /**
   * The JSON-RPC error code, if the server answered with an error; -32012 with the reason `Disconnected` or
   * `SessionLost` if another connection has taken the session over.
   */
  readonly rpcCode?: number
  /** The function that has failed, of `fs` and `http`: `readTextFile`, `http.request`. */
  readonly method?: string
  /** The path that a function of `fs`, or `input: { file }`, was given; the source of `copy`. */
  readonly path?: string
  /** The host that `http` was to reach, with its port if the URL has one. */
  readonly host?: string
  /**
   * Why the server did not start a process, in words for programs; absent if it tells none (Codex before 0.171) or has
   * refused anything else.
   */
  readonly kind?: ErrorKind
  /** The answer of the server, word for word, if `message` says more than that. */
  readonly serverMessage?: string
  /** The lost range, with the reason `EventsLost`. */
  readonly gone?: Gone
  /** The result of `run` or `$`, with the reasons `Failed` and `NotJson`. */
  readonly result?: unknown
  /** The error that this one was made from; with the reason `Failed` the `exitCode`, `signal` and `endedBy`. */
  readonly cause?: unknown
}> {}

/** The error with this reason and message. */
export const clientError = (
  reason: ClientReason,
  message: string,
  more: Omit<ConstructorParameters<typeof ClientError>[0], "reason" | "message"> = {},
): ClientError => new ClientError({ reason, message, ...more })
