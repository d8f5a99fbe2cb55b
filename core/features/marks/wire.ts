/** Marks of shell integration on the wire: `process/mark`, and `marks` of a start and of a read. */
import * as Shape from "../../protocol/shape/index.ts"
import { I32, U64 } from "../../protocol/Integers.ts"
import * as Wire from "../Wire.ts"

/** A prompt begins; a command begins to run, and its output; a command has ended. */
export const MarkKind = Shape.namedWords("MarkKind", "promptStart", "commandStart", "commandEnd")
/** The kind of a mark. */
export type MarkKind = typeof MarkKind.Type

/**
 * A mark. `exitCode` is that of a command that has ended, if the shell reports it; `cwd` the directory of the shell, as
 * last reported. Both are null otherwise.
 */
export const Mark = Shape.struct("ProcessMark", {
  seq: U64,
  /** A prompt begins, a command begins to run, or a command has ended. */
  kind: MarkKind,
  /** The exit code of a command that has ended, if the shell tells it. */
  exitCode: Shape.nullOr(I32),
  /** The directory of the shell, as last reported. */
  cwd: Shape.nullOr(Shape.string),
})
/** A mark. */
export type Mark = typeof Mark.Type

/** A mark in the output of a process. It follows the output that ends with it, and has a seq of its own. */
export const MarkParams = Shape.struct("ProcessMarkNotification", {
  processId: Shape.string,
  ...Mark.fields,
})

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
  /** The directory of the shell, as last reported. */
  readonly cwd: string | null
}

/** The wire of the feature. */
export const marks = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `marks` of `process/start` and `process/read`, and `process/mark`. */
    processMarks: Shape.boolean,
  },
  startFields: {
    /** With the capability `processMarks`: the marks of a shell in the output are reported. The default is false. */
    marks: Shape.beyond(Shape.boolean),
  },
  readFields: {
    /** Between the chunks, if the start has asked for marks. */
    marks: Shape.optional(Shape.list(Mark)),
  },
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
