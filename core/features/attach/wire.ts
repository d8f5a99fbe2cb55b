/**
 * `process/attach` and `process/detach`: several clients at one process. Needs the capability `processAttach`.
 *
 * An attachment has a process id of its own on its connection, under which all the methods and notifications of
 * processes work. It ends with its connection; it keeps no process alive, and none any longer in the lists.
 */
import * as Schema from "effect/Schema"
import { nullable } from "../../protocol/Fields.ts"
import { U53, U64 } from "../../protocol/Integers.ts"
import { lazy, struct } from "../../protocol/Lazy.ts"
import { ListedProcess } from "../../protocol/List.ts"
import { request } from "../../protocol/Method.ts"
import { ScreenResult } from "../screen/wire.ts"
import * as Wire from "../Wire.ts"

/** What a client may do: look on, or write as well. One at a time writes. */
export const Role = Schema.Literal("viewer", "writer").annotations({ identifier: "AttachmentRole" })
/** What a client may do: look on, or write as well. */
export type Role = typeof Role.Type

/**
 * What happens while an attachment lags: the child waits for it, or it misses what the server no longer retains, and
 * with `screen` gets a picture of the terminal instead.
 */
export const Policy = Schema.Literal("block", "skip", "screen").annotations({
  identifier: "AttachmentPolicy",
})
/** What happens while an attachment lags. */
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
export const AttachParams = struct("ProcessAttachParams", () => ({
  /** The id of the process in its session. */
  processId: nullable(Schema.String),
  /** Its name instead, looked for in every session that the client may see. */
  name: nullable(Schema.String),
  session: nullable(U53),
  /** The secret id of its session. */
  sessionId: nullable(Schema.String),
  /** The id of the attachment on this connection; the default is that of the process. */
  as: nullable(Schema.String),
  afterSeq: nullable(U64),
  /** The role of the client; the default is `viewer`. */
  role: nullable(Role),
  /** Whether a writer takes the role from who has it. */
  take: nullable(Schema.Boolean),
  /** The treatment of an attachment that lags; the default is `skip`. */
  policy: nullable(Policy),
  /** So many bytes of output may be pushed before a `process/credit`; absent is no bound. */
  credit: nullable(U53),
}))
/** Decoded params of `process/attach`. */
export type AttachParams = typeof AttachParams.Type

/**
 * `processId` is the id of the attachment, `process` the process as lists show it, `firstSeq` the seq of the oldest
 * output that is retained (or of the next event, without any), `writer` whether this client is the writer.
 */
export const AttachResult = struct("ProcessAttachResponse", () => ({
  processId: Schema.String,
  /** The process, as lists show it. */
  process: ListedProcess,
  /** The seq of the oldest output that is retained, or of the next event. */
  firstSeq: U64,
  /** Whether this client is the writer. */
  writer: Schema.Boolean,
}))

/** Leaves a process, which goes on. The role of a writer goes back to who had it before, or to the owner. */
export const DetachParams = struct("ProcessDetachParams", () => ({ processId: Schema.String }))

/** No members. */
export const DetachResult = lazy(() =>
  Schema.Struct({}).annotations({
    identifier: "ProcessDetachResponse",
    jsonSchema: { type: "object" },
  }),
)

/** This client has become the writer of a process, or is it no longer. */
export const WriterParams = struct("ProcessWriterNotification", () => ({
  processId: Schema.String,
  /** Whether this client is the writer now. */
  writer: Schema.Boolean,
}))

/**
 * Output of an attachment that will not come: its seqs, both included, have left the memory of the server.
 *
 * With the policy `screen` a gap has the picture of the terminal after the output up to and including `screen.seq`, as
 * ANSI. Output up to that seq does not come any more: where other events lie between, further gaps tell the rest of it.
 */
export const GapParams = struct("ProcessGapNotification", () => ({
  processId: Schema.String,
  /** The first seq that will not come. */
  from: U64,
  /** The last seq that will not come. */
  to: U64,
  /** With the policy `screen`: what the terminal shows instead, as ANSI. */
  screen: Schema.optional(ScreenResult),
}))

/** Why an attachment has ended before `process/closed`. */
export const DetachReason = Schema.Literal("removed", "sessionEnd").annotations({
  identifier: "DetachReason",
})
/** Why an attachment has ended before `process/closed`. */
export type DetachReason = typeof DetachReason.Type

/** The last message about an attachment whose process was removed, or whose session has ended, before it was closed. */
export const DetachedParams = struct("ProcessDetachedNotification", () => ({
  processId: Schema.String,
  /** `removed`: its process was removed; `sessionEnd`: its session has ended. */
  reason: DetachReason,
}))

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
    processAttach: Schema.Boolean,
    /** Beyond the peer implementation: this client may view the processes of every session. */
    processAttachAll: Schema.Boolean,
    /**
     * Beyond the peer implementation: this client may also write to them, end and remove them, and let its own be kept
     * (`keep` of `process/start`).
     */
    processControlAll: Schema.Boolean,
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
      result: DetachResult,
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

Wire.document(attach, {
  since: "1.1",
  adds: {
    "1.1": {
      processAttach: ["ProcessGapNotification.screen", "TerminateParams.remove", "ListedProcess.kept"],
    },
  },
  examples: () => {
    const sessionId = "0b8f1c9e-6f2a-4c57-9d1e-3a5b7c9d1e2f"
    const process = {
      processId: "build",
      session: 1,
      attached: true,
      labels: { branch: "main" },
      argv: ["make", "test"],
      cwd: "file:///srv/app",
      pid: 4711,
      tty: true,
      startedAtMs: 1_767_225_600_000,
      state: "running",
      exitCode: null,
      bytes: 6,
      nextSeq: 2,
    }
    return {
      "process/attach": {
        params: [
          {
            name: "build",
            session: 1,
            as: "view",
            afterSeq: 0,
            role: "viewer",
            policy: "skip",
            credit: 65_536,
          },
          { processId: "build", sessionId, role: "writer", take: true },
        ],
        result: [{ processId: "view", process, firstSeq: 1, writer: false }],
      },
      "process/detach": { params: [{ processId: "view" }], result: [{}] },
      "process/gap": { params: [{ processId: "view", from: 3, to: 9 }] },
      "process/writer": { params: [{ processId: "view", writer: true }] },
      "process/detached": { params: [{ processId: "view", reason: "removed" }] },
    }
  },
})
