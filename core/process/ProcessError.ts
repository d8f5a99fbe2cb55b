/** Requests that a process or its registry refuses. Failures of the spawner are `SpawnError`. */
import * as Data from "effect/Data"
import type { LimitError } from "../protocol/Limits.ts"
import type { SpawnError } from "../spawn/SpawnError.ts"

/** The reasons of refused requests. */
export type ProcessReason =
  /** `start` with an id that is starting, running or retained. */
  | "AlreadyExists"
  /** `read` of an id that is not in the table. */
  | "Unknown"
  /** `start` that `terminate` cancelled. */
  | "StartCancelled"
  /** `write` after `terminate`. */
  | "StdinGone"
  /** `resize` of a process without a PTY, or whose PTY has a fixed size. */
  | "NoTerminal"

/** A refused request on the process of that id. */
export class ProcessError extends Data.TaggedError("ProcessError")<{
  /** The reason of the refusal. */
  readonly reason: ProcessReason
  /** The id that the request named. */
  readonly processId: string
}> {}

/** The errors of `start`. */
export type StartError = ProcessError | LimitError | SpawnError

/** The errors of `write`. */
export type WriteError = ProcessError | LimitError
