/** What a shell says of itself between its output: `process/mark`. Needs the capability `processMarks`. */
import * as Schema from "effect/Schema"
import { I32, U64 } from "./Integers.ts"
import { struct } from "./Later.ts"

/** A prompt begins; a command begins to run, and its output; a command has ended. */
export const MarkKind = Schema.Literal("promptStart", "commandStart", "commandEnd").annotations({
  identifier: "MarkKind",
})
/** What a mark says. */
export type MarkKind = typeof MarkKind.Type

/**
 * A mark. `exitCode` is that of a command that has ended, if the shell tells it; `cwd` the directory of the shell, as
 * it has last told it. Both are null otherwise.
 */
export const Mark = struct("ProcessMark", () => ({
  seq: U64,
  kind: MarkKind,
  exitCode: Schema.NullOr(I32),
  cwd: Schema.NullOr(Schema.String),
}))
/** A mark. */
export type Mark = typeof Mark.Type

/** A mark in the output of a process. It follows the output that ends with it, and has a seq of its own. */
export const MarkParams = struct("ProcessMarkNotification", () => ({
  processId: Schema.String,
  ...Mark.fields,
}))
