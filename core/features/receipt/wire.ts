/** Receipts on the wire: `receipt` of a start, of `process/closed` and of a read. */
import * as Schema from "effect/Schema"
import { Ending, EndedBy } from "../../protocol/Ending.ts"
import { beyond } from "../../protocol/Fields.ts"
import { U53, U64 } from "../../protocol/Integers.ts"
import { lazy, struct } from "../../protocol/Lazy.ts"
import * as Wire from "../Wire.ts"

/** One stream of a process as the child wrote it. */
export const StreamReceipt = struct("StreamReceipt", () => ({
  /** The bytes that the child has written. */
  bytes: U53,
  /** SHA-256 of the bytes, in hex. Absent if some of them were gone before they were hashed. */
  sha256: Schema.optional(Schema.String),
  /** The events of output that they became. */
  chunks: U53,
  /** The seq of the first such event, and of the last. Absent if there is none. */
  firstSeq: Schema.optional(U64),
  /** The seq of the last such event. */
  lastSeq: Schema.optional(U64),
  /** The bytes that the server had to drop before any client had got them. */
  unreadBytes: U53,
}))
/** One stream of a process. */
export type StreamReceipt = typeof StreamReceipt.Type

/** The streams of a process, also those without output. */
const Streams = struct("ReceiptStreams", () => ({
  /** The standard output. */
  stdout: Schema.optional(StreamReceipt),
  /** The standard error. */
  stderr: Schema.optional(StreamReceipt),
  /** The terminal. */
  pty: Schema.optional(StreamReceipt),
}))

/** What a process wrote and how it ended. */
export const Receipt = struct("Receipt", () => ({
  /** `stdout` and `stderr` of a process on pipes, `pty` of one with a terminal; also those without output. */
  streams: Streams,
  ...Ending.fields,
  endedBy: EndedBy,
  /** The signal that killed the process, by its number. Absent if it exited. */
  signal: Schema.optional(U53),
  /** When it was started, and when it exited, in milliseconds since 1970 by the clock of the server. */
  startedAtMs: U53,
  /** When it exited, in milliseconds since 1970 by the clock of the server. */
  endedAtMs: U53,
}))
/** The receipt of a process. */
export type Receipt = typeof Receipt.Type

/** The wire of the feature. */
export const receipt = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `receipt` of `process/start`, `process/closed` and `process/read`. */
    processReceipt: Schema.Boolean,
  },
  startFields: lazy(() => ({
    /** With the capability `processReceipt`: `process/closed` carries a receipt. The default is false. */
    receipt: beyond(Schema.Boolean),
  })),
  closedFields: lazy(() => ({
    /** The output and the end of a process whose start has asked for a receipt. */
    receipt: Schema.optional(Receipt),
  })),
})

Wire.document(receipt, {
  since: "1.1",
  examples: () => {
    const stream = {
      bytes: 6,
      sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
      chunks: 1,
      firstSeq: 1,
      lastSeq: 1,
      unreadBytes: 0,
    }
    const receipt = {
      streams: { stdout: stream, stderr: { bytes: 0, chunks: 0, unreadBytes: 0 } },
      endedBy: "exit",
      coreDumped: false,
      oomKilled: false,
      userCpuMicros: 1200,
      systemCpuMicros: 800,
      peakMemory: { bytes: 3_500_000, exact: true },
      startedAtMs: 1_767_225_600_000,
      endedAtMs: 1_767_225_600_125,
    }
    return { startFields: { receipt: true }, closedFields: { receipt } }
  },
})
