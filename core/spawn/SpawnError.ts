/**
 * The errors of a spawner, each with a closed set of reasons, and constructors for those whose texts clients compare.
 * Refusals of the operating system have its text and number on Linux.
 */
import * as Data from "effect/Data"
import * as ErrorText from "../protocol/ErrorText.ts"
import * as SystemText from "../protocol/SystemText.ts"

/** The failure of the start of a child. */
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
  /** The confinement could not be set up. */
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
  (reason: SpawnReason, name: SystemText.Name) =>
  (cause?: unknown): SpawnError =>
    new SpawnError({ reason, message: SystemText.of(name, SystemText.linux[name]), cause })

/** The program or the directory does not exist: `No such file or directory (os error 2)`. */
export const notFound = ofSystem("NotFound", "ENOENT")

/** The directory, or a directory in the path of the program, is a file: `Not a directory (os error 20)`. */
export const notADirectory = ofSystem("NotADirectory", "ENOTDIR")

/** The program may not be executed, or is a directory: `Permission denied (os error 13)`. */
export const permissionDenied = ofSystem("PermissionDenied", "EACCES")

/** The program is a file of no executable format: `Exec format error (os error 8)`. */
export const notExecutable = ofSystem("NotExecutable", "ENOEXEC")

/** Arguments and environment are too large: `Argument list too long (os error 7)`. */
export const argumentsTooLong = ofSystem("ResourceLimit", "E2BIG")

/** The name of the program is empty: `missing program for pipe spawn`, or `for PTY spawn`. */
export const missingProgram = (kind: "pipe" | "pty"): SpawnError =>
  new SpawnError({
    reason: "InvalidArgument",
    message: ErrorText.of("missingProgram", { kind: kind === "pty" ? "PTY" : "pipe" }),
  })

/**
 * A text of the spec has a NUL byte: `nul byte found in provided data`. In the environment it is
 * `data provided contains a nul byte`.
 */
export const nulByte = (place: "argv" | "arg0" | "cwd" | "env"): SpawnError =>
  new SpawnError({
    reason: "InvalidArgument",
    message: ErrorText.of(place === "env" ? "nulByteInEnv" : "nulByte"),
  })

/** The child's stdin cannot be written: it was not opened, the child has closed it, or the child is gone. */
export class StdinError extends Data.TaggedError("StdinError")<{
  /** `NotOpen`: the child has no stdin. `Closed`: it has no reader any more. */
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
