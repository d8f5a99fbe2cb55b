/** The error of a directory: why it has refused, or could not answer. */
import * as Data from "effect/Data"

/** The failure of an operation of a directory. */
export type DirectoryReason =
  /** No host fits: the labels match none, or all that match are full, lost, drained, or rest after failed starts. */
  | "NoHost"
  /** The tenant has as many sessions as it may have. */
  | "QuotaExceeded"
  /** Late words: of a host with an older epoch, of a host that is gone, or about a session that has a newer owner. */
  | "Fenced"
  /** The directory knows no session of that id. */
  | "NoSession"
  /** The directory knows no host of that id and epoch: it has to announce itself. */
  | "NoHostKnown"
  /** The argument can never be right. */
  | "Invalid"
  /** The directory did not answer in time, or cannot be reached. The operation may have happened. */
  | "Unavailable"
  /** The directory's data are of a version that this program does not know. */
  | "WrongVersion"
  /** A package that this directory needs is not installed. */
  | "NotInstalled"

/** A directory has refused, or could not answer. */
export class DirectoryError extends Data.TaggedError("DirectoryError")<{
  readonly reason: DirectoryReason
  /** The text for people: the value, and what to do. */
  readonly message: string
  /** The error of the engine, if there is one. */
  readonly cause?: unknown
}> {}

/** An error without a cause. */
export const refused = (reason: DirectoryReason, message: string): DirectoryError =>
  new DirectoryError({ reason, message })
