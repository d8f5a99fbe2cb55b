/** What a caller can do wrong with a process. The spawner's own failures are `SpawnError`. */
import * as Data from "effect/Data"
import type { LimitError } from "../protocol/Limits.ts"
import type { SpawnError } from "../spawn/SpawnError.ts"

export type ProcessReason =
  /** `start` with an id that is starting, running or retained. */
  | "AlreadyExists"
  /** `read` of an id that is not in the table. */
  | "Unknown"
  /** `start` overtaken by `terminate`. */
  | "StartCancelled"
  /** `write` behind `terminate`. */
  | "StdinGone"
  /** `resize` of a process without a PTY that could change its size. */
  | "NoTerminal"

export class ProcessError extends Data.TaggedError("ProcessError")<{
  readonly reason: ProcessReason
  readonly processId: string
}> {}

export type StartError = ProcessError | LimitError | SpawnError

export type WriteError = ProcessError | LimitError
