/** Marks of shell integration on the wire: `process/mark`, and `marks` of a start and of a read. */
import * as Schema from "effect/Schema"
import { beyond } from "../../protocol/Fields.ts"
import { I32, U64 } from "../../protocol/Integers.ts"
import { lazy, struct } from "../../protocol/Lazy.ts"
import * as Wire from "../Wire.ts"

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
  /** A prompt begins, a command begins to run, or a command has ended. */
  kind: MarkKind,
  /** The exit code of a command that has ended, if the shell tells it. */
  exitCode: Schema.NullOr(I32),
  /** The directory of the shell, as it has last told it. */
  cwd: Schema.NullOr(Schema.String),
}))
/** A mark. */
export type Mark = typeof Mark.Type

/** A mark in the output of a process. It follows the output that ends with it, and has a seq of its own. */
export const MarkParams = struct("ProcessMarkNotification", () => ({
  processId: Schema.String,
  ...Mark.fields,
}))

/** A mark, as an event of its process. */
export interface Marked {
  /** The kind of event. */
  readonly kind: "mark"
  /** Its place among the output and the other events of the process. */
  readonly seq: number
  /** The mark itself. */
  readonly mark: MarkKind
  /** Of a command that has ended, if the shell tells it. */
  readonly exitCode: number | null
  /** The directory of the shell, as it has last told it. */
  readonly cwd: string | null
}

/** The wire of the feature. */
export const marks = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `marks` of `process/start` and `process/read`, and `process/mark`. */
    processMarks: Schema.Boolean,
  },
  startFields: lazy(() => ({
    /** With the capability `processMarks`: the marks of a shell in the output are told. The default is false. */
    marks: beyond(Schema.Boolean),
  })),
  readFields: lazy(() => ({
    /** Between the chunks, if the start has asked for marks. */
    marks: Schema.optional(Schema.Array(Mark)),
  })),
  events: {
    mark: Wire.event({
      method: "process/mark",
      params: MarkParams,
      says: "a mark of a shell in the output (capability processMarks)",
      readField: "marks",
      toParams: (processId, { seq, mark, exitCode, cwd }: Marked) => ({
        processId,
        seq,
        kind: mark,
        exitCode,
        cwd,
      }),
    }),
  },
})

Wire.document(marks, {
  since: "1.1",
  examples: () => {
    const mark = { seq: 4, kind: "commandEnd", exitCode: 0, cwd: "/srv/app" }
    return {
      startFields: { marks: true },
      readFields: { marks: [mark] },
      "process/mark": { params: [{ processId: "p1", ...mark }] },
    }
  },
})
