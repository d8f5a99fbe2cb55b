/** What can go wrong with a file, as a closed set of reasons. */
import * as Data from "effect/Data"

export type FileReason =
  | "NotFound"
  | "PermissionDenied"
  /** The request makes no sense for what is there. */
  | "InvalidInput"
  | "AlreadyExists"
  | "NotADirectory"
  | "IsADirectory"
  /** This host, or the protocol, has no way to do that. */
  | "Unsupported"
  /** A folder with more entries than are listed. */
  | "TooMany"
  | "Other"

/**
 * `message` is the text a client sees: for a failure of the operating system its own text and number,
 * `No such file or directory (os error 2)`.
 */
export class FileError extends Data.TaggedError("FileError")<{
  readonly reason: FileReason
  readonly message: string
  readonly cause?: unknown
}> {}

export const invalid = (message: string) => new FileError({ reason: "InvalidInput", message })
