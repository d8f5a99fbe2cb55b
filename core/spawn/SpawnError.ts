/** The errors of a spawner, each with a closed set of reasons. */
import * as Data from "effect/Data"

/** Why a child could not be started. */
export type SpawnReason =
  | "NotFound"
  | "NotADirectory"
  | "PermissionDenied"
  | "NotExecutable"
  | "InvalidArgument"
  | "Unsupported"
  | "ResourceLimit"
  | "ShuttingDown"
  | "Unconfinable"
  | "Unknown"

/**
 * A child could not be started, and nothing of it is left. `message` is the text that a client sees: for a failure of
 * the operating system its text and number, such as `No such file or directory (os error 2)`.
 */
export class SpawnError extends Data.TaggedError("SpawnError")<{
  /** Why. */
  readonly reason: SpawnReason
  /** The text of the error. */
  readonly message: string
  /** The error of the runtime, if there is one. */
  readonly cause?: unknown
}> {}

/** The child's stdin cannot be written: it was not opened, the child has closed it, or the child is gone. */
export class StdinError extends Data.TaggedError("StdinError")<{
  /** `NotOpen`: the child has no stdin. `Closed`: nobody reads it any more. */
  readonly reason: "NotOpen" | "Closed"
  /** The error of the runtime, if there is one. */
  readonly cause?: unknown
}> {}

/** A signal or a resize could not be delivered to a living child. */
export class SignalError extends Data.TaggedError("SignalError")<{
  /** Why. */
  readonly reason: "Unsupported" | "PermissionDenied" | "Unknown"
  /** The text of the error. */
  readonly message: string
  /** The error of the runtime, if there is one. */
  readonly cause?: unknown
}> {}
