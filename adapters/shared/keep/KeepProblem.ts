/** The reasons for which a server has no keeper. */
import * as Data from "effect/Data"

/** The reason, for programs. */
export type KeepReason =
  /** No holder is there, and none was to be started. */
  | "Absent"
  /** Another server uses the holder. */
  | "Busy"
  /** The holder speaks a newer protocol. It is left alone. */
  | "Newer"
  /** It cannot be known whether a holder is there. Nothing was touched. */
  | "Unknown"
  /** The folder cannot be used. */
  | "Folder"
  /** A holder could not be started. */
  | "Start"
  /** The holder has not kept to the protocol, or has ended. */
  | "Broken"

/** A server has no keeper. */
export class KeepProblem extends Data.TaggedError("KeepProblem")<{
  readonly reason: KeepReason
  /** A sentence for the user. */
  readonly message: string
  readonly cause?: unknown
}> {}
