/** What can go wrong between the core and a spawner, as closed sets of reasons. */
import * as Data from "effect/Data"

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
 * A child that did not come into being; nothing is left of it. `message` is the text a client sees: for
 * a failure of the operating system its own text and number, `No such file or directory (os error 2)`.
 */
export class SpawnError extends Data.TaggedError("SpawnError")<{
  readonly reason: SpawnReason
  readonly message: string
  readonly cause?: unknown
}> {}

/** The child's stdin takes no more: it was never open, the child closed it, or the child is gone. */
export class StdinError extends Data.TaggedError("StdinError")<{
  readonly reason: "NotOpen" | "Closed"
  readonly cause?: unknown
}> {}

/** A signal (or a resize) that could not be delivered to a child that is still there. */
export class SignalError extends Data.TaggedError("SignalError")<{
  readonly reason: "Unsupported" | "PermissionDenied" | "Unknown"
  readonly message: string
  readonly cause?: unknown
}> {}
