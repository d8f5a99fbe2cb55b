/** Why a line is not in its file. */
import * as Data from "effect/Data"

/** A line could not be written. `cause` is what the system said. */
export class LineError extends Data.TaggedError("LineError")<{
  readonly reason: "Write" | "Timeout"
  readonly cause?: unknown
}> {}
