/**
 * `process/attach` and `process/detach`: several clients at one process. Needs the capability `processAttach`.
 *
 * An attachment has a process id of its own on its connection, under which all the methods and notifications of
 * processes work. It ends with its connection; it keeps no process alive, and none any longer in the lists.
 */
import * as Shape from "../../protocol/shape/index.ts"
import { U53, U64 } from "../../protocol/Integers.ts"
import { ListedProcess } from "../../protocol/List.ts"
import { request } from "../../protocol/Method.ts"
import { ScreenResult } from "../screen/wire.ts"
import * as Wire from "../Wire.ts"

/** The role of an attachment: it looks on, or writes as well. One at a time writes. */
export const Role = Shape.namedWords("AttachmentRole", "viewer", "writer")
/** The role of an attachment: it looks on, or writes as well. */
export type Role = typeof Role.Type

/**
 * The treatment of an attachment that lags: the child waits for it, or it misses output that the server no longer
 * retains, and with `screen` gets a picture of the terminal instead.
 */
export const Policy = Shape.namedWords("AttachmentPolicy", "block", "skip", "screen")
/** The treatment of an attachment that lags. */
export type Policy = typeof Policy.Type

/**
 * Attaches to a process, by `processId` or `name`: of the own session, of the one with the number `session`, or of the
 * one whose secret id is `sessionId`. A name alone is looked for in every session that the client may see; a process
 * that runs comes before those that have ended.
 *
 * `as` is the id of the attachment on this connection (the default is the id that the process has). Events after
 * `afterSeq` follow the answer (the default is 0: all that is retained), within `credit`, if there is one. `role` is
 * `viewer` by default; a writer takes the role from who has it with `take`. `policy` is `skip` by default. To attach
 * again under the id of an attachment changes its role alone, and so does the own id of a process of the own session.
 */
export const AttachParams = Shape.struct("ProcessAttachParams", {
  /** The id of the process in its session. */
  processId: Shape.nullable(Shape.string),
  /** Its name instead, looked for in every session that the client may see. */
  name: Shape.nullable(Shape.string),
  session: Shape.nullable(U53),
  /** The secret id of its session. */
  sessionId: Shape.nullable(Shape.string),
  /** The id of the attachment on this connection; the default is that of the process. */
  as: Shape.nullable(Shape.string),
  afterSeq: Shape.nullable(U64),
  /** The role of the client; the default is `viewer`. */
  role: Shape.nullable(Role),
  /** True if a writer takes the role from its holder. */
  take: Shape.nullable(Shape.boolean),
  /** The treatment of an attachment that lags; the default is `skip`. */
  policy: Shape.nullable(Policy),
  /** So many bytes of output may be pushed before a `process/credit`; absent is no bound. */
  credit: Shape.nullable(U53),
})
/** Decoded params of `process/attach`. */
export type AttachParams = typeof AttachParams.Type

/**
 * `processId` is the id of the attachment, `process` the process as lists show it, `firstSeq` the seq of the oldest
 * output that is retained (or of the next event, without any), `writer` whether this client is the writer.
 */
export const AttachResult = Shape.struct("ProcessAttachResponse", {
  processId: Shape.string,
  /** The process, as lists show it. */
  process: ListedProcess,
  /** The seq of the oldest output that is retained, or of the next event. */
  firstSeq: U64,
  /** True if this client is the writer. */
  writer: Shape.boolean,
})

/** Leaves a process, which goes on. The role of a writer goes back to who had it before, or to the owner. */
export const DetachParams = Shape.struct("ProcessDetachParams", { processId: Shape.string })

/** This client has become the writer of a process, or is it no longer. */
export const WriterParams = Shape.struct("ProcessWriterNotification", {
  processId: Shape.string,
  /** True if this client is the writer now. */
  writer: Shape.boolean,
})

/**
 * Output of an attachment that will not come: its seqs, both included, have left the memory of the server.
 *
 * With the policy `screen` a gap has the picture of the terminal after the output up to and including `screen.seq`, as
 * ANSI. Output up to that seq does not come any more: where other events lie between, further gaps tell the rest of it.
 */
export const GapParams = Shape.struct("ProcessGapNotification", {
  processId: Shape.string,
  /** The first seq that will not come. */
  from: U64,
  /** The last seq that will not come. */
  to: U64,
  /** With the policy `screen`: what the terminal shows instead, as ANSI. */
  screen: Shape.optional(ScreenResult),
})

/** The reason for the end of an attachment before `process/closed`. */
export const DetachReason = Shape.namedWords("DetachReason", "removed", "sessionEnd")
/** The reason for the end of an attachment before `process/closed`. */
export type DetachReason = typeof DetachReason.Type

/** The last message about an attachment whose process was removed, or whose session has ended, before it was closed. */
export const DetachedParams = Shape.struct("ProcessDetachedNotification", {
  processId: Shape.string,
  /** `removed`: its process was removed; `sessionEnd`: its session has ended. */
  reason: DetachReason,
})

/** Output that an attachment with the policy `skip` or `screen` has missed: the server no longer retains it. */
export interface Gap {
  /** Tells the events apart. */
  readonly kind: "gap"
  /** The first seq that is missing. */
  readonly from: number
  /** The last one. */
  readonly seq: number
  /** With `screen`: what the terminal shows instead, as `ansi`. No output up to its `seq` comes any more. */
  readonly screen?: ScreenResult
}

/** The wire of the feature. */
export const attach = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `process/attach`, `process/detach`, and `remove` of `process/terminate`. */
    processAttach: Shape.boolean,
    /** Beyond the peer implementation: this client may view the processes of every session. */
    processAttachAll: Shape.boolean,
    /**
     * Beyond the peer implementation: this client may also write to them, end and remove them, and let its own be kept
     * (`keep` of `process/start`).
     */
    processControlAll: Shape.boolean,
  },
  requests: {
    "process/attach": request({
      params: AttachParams,
      result: AttachResult,
      family: "exec",
      slotted: false,
      says:
        "joins a process, of another session too, as a viewer or its writer (beyond the peer; capability " +
        "processAttach)",
    }),
    "process/detach": request({
      params: DetachParams,
      result: Shape.nothing("ProcessDetachResponse"),
      family: "exec",
      slotted: false,
      says: "leaves a process, which goes on (beyond the peer; capability processAttach)",
    }),
  },
  events: {
    gap: Wire.event({
      method: "process/gap",
      params: GapParams,
      says: "output that an attachment misses (capability processAttach)",
      toParams: (processId, { from, seq, screen }: Gap) => ({ processId, from, to: seq, screen }),
    }),
  },
  notifications: {
    "process/writer": {
      params: WriterParams,
      says: "the client has become the writer of a process, or is it no longer (capability processAttach)",
    },
    "process/detached": {
      params: DetachedParams,
      says: "an attachment has ended before its process was closed (capability processAttach)",
    },
  },
})
