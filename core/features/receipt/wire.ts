/** Receipts on the wire: `receipt` of a start, of `process/closed` and of a read. */
import * as Shape from "../../protocol/shape/index.ts"
import { Ending, EndedBy } from "../../protocol/Ending.ts"
import { U53, U64 } from "../../protocol/Integers.ts"
import * as Wire from "../Wire.ts"

/** One stream of a process as the child wrote it. */
export const StreamReceipt = Shape.struct("StreamReceipt", {
  /** The bytes that the child has written. */
  bytes: U53,
  /** SHA-256 of the bytes, in hex. Absent if some of them were gone before they were hashed. */
  sha256: Shape.optional(Shape.string),
  /** The events of output that they became. */
  chunks: U53,
  /** The seq of the first such event, and of the last. Absent if there is none. */
  firstSeq: Shape.optional(U64),
  /** The seq of the last such event. */
  lastSeq: Shape.optional(U64),
  /** The bytes that the server had to drop before any client had got them. */
  unreadBytes: U53,
})
/** One stream of a process. */
export type StreamReceipt = typeof StreamReceipt.Type

/** The streams of a process, also those without output. */
const Streams = Shape.struct("ReceiptStreams", {
  /** The standard output. */
  stdout: Shape.optional(StreamReceipt),
  /** The standard error. */
  stderr: Shape.optional(StreamReceipt),
  /** The terminal. */
  pty: Shape.optional(StreamReceipt),
})

/** The output of a process, and its end. */
export const Receipt = Shape.struct("Receipt", {
  /** `stdout` and `stderr` of a process on pipes, `pty` of one with a terminal; also those without output. */
  streams: Streams,
  ...Ending.fields,
  endedBy: EndedBy,
  /** The signal that killed the process, by its number. Absent if it exited. */
  signal: Shape.optional(U53),
  /** When it was started, and when it exited, in milliseconds since 1970 by the clock of the server. */
  startedAtMs: U53,
  /** When it exited, in milliseconds since 1970 by the clock of the server. */
  endedAtMs: U53,
})
/** The receipt of a process. */
export type Receipt = typeof Receipt.Type

/** The wire of the feature. */
export const receipt = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `receipt` of `process/start`, `process/closed` and `process/read`. */
    processReceipt: Shape.boolean,
  },
  startFields: {
    /** With the capability `processReceipt`: `process/closed` carries a receipt. The default is false. */
    receipt: Shape.beyond(Shape.boolean),
  },
  closedFields: {
    /** The output and the end of a process whose start has asked for a receipt. */
    receipt: Shape.optional(Receipt),
  },
})
