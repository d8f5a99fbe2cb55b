/** Failures of file operations, as a closed set of reasons. */
import * as Data from "effect/Data"

/** The reason of a failed file call. */
export type FileReason =
  | "NotFound"
  | "PermissionDenied"
  /** The request makes no sense for what the path leads to, or for this host. */
  | "InvalidInput"
  | "AlreadyExists"
  | "NotADirectory"
  | "IsADirectory"
  /** This host or the protocol cannot do that. */
  | "Unsupported"
  /** A folder has more entries than are listed. */
  | "TooMany"
  /** The audit log could not be written. */
  | "Unaudited"
  | "Other"

/**
 * A failed file call. `message` is the text that the client sees: for a failure of the operating system its text and
 * number, `No such file or directory (os error 2)`.
 */
export class FileError extends Data.TaggedError("FileError")<{
  /** The reason. */
  readonly reason: FileReason
  readonly message: string
  readonly cause?: unknown
}> {}

/** A `FileError` with the reason `InvalidInput`. */
export const invalid = (message: string) => new FileError({ reason: "InvalidInput", message })
