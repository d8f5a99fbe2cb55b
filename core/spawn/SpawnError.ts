/**
 * The errors of a spawner, each with a closed set of reasons, and constructors for those whose texts clients compare.
 * What the operating system refuses has the text and number of the system on Linux.
 */
import * as Data from "effect/Data"

/** Why a child could not be started. */
export type SpawnReason =
  | "NotFound"
  /** The program is not in the PATH of its PTY; otherwise that is `NotFound`. */
  | "NotInPath"
  | "NotADirectory"
  | "PermissionDenied"
  | "NotExecutable"
  | "InvalidArgument"
  | "Unsupported"
  | "ResourceLimit"
  | "ShuttingDown"
  /** Nothing here can confine it. */
  | "Unconfinable"
  /** What would confine it could not be set up. */
  | "Unprepared"
  /** The audit log could not be written. */
  | "Unaudited"
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

const ofSystem =
  (reason: SpawnReason, text: string, errno: number) =>
  (cause?: unknown): SpawnError =>
    new SpawnError({ reason, message: `${text} (os error ${errno})`, cause })

/** The program or the directory does not exist: `No such file or directory (os error 2)`. */
export const notFound = ofSystem("NotFound", "No such file or directory", 2)

/** The directory, or a directory in the path of the program, is a file: `Not a directory (os error 20)`. */
export const notADirectory = ofSystem("NotADirectory", "Not a directory", 20)

/** The program may not be executed, or is a directory: `Permission denied (os error 13)`. */
export const permissionDenied = ofSystem("PermissionDenied", "Permission denied", 13)

/** The program is a file of no executable format: `Exec format error (os error 8)`. */
export const notExecutable = ofSystem("NotExecutable", "Exec format error", 8)

/** Arguments and environment are too large: `Argument list too long (os error 7)`. */
export const argumentsTooLong = ofSystem("ResourceLimit", "Argument list too long", 7)

/** The name of the program is empty: `missing program for pipe spawn`, or `for PTY spawn`. */
export const missingProgram = (kind: "pipe" | "pty"): SpawnError =>
  new SpawnError({
    reason: "InvalidArgument",
    message: `missing program for ${kind === "pty" ? "PTY" : "pipe"} spawn`,
  })

/**
 * A text of the spec has a NUL byte: `nul byte found in provided data`. In the environment it is
 * `data provided contains a nul byte`.
 */
export const nulByte = (place: "argv" | "arg0" | "cwd" | "env"): SpawnError =>
  new SpawnError({
    reason: "InvalidArgument",
    message: place === "env" ? "data provided contains a nul byte" : "nul byte found in provided data",
  })

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
