/**
 * `process/changes`: what has happened to processes, one change after the other, as a long poll. Needs the capability
 * `processChanges`.
 */
import * as Shape from "./shape/index.ts"
import { U53, U64 } from "./Integers.ts"
import { ListedProcess, Sessions } from "./List.ts"

/** What has happened: `removed` is also what the end of a session does to all that it has. */
export const ChangeKind = Shape.namedWords("ProcessChangeKind", "started", "restarted", "exited", "removed")
/** What has happened. */
export type ChangeKind = typeof ChangeKind.Type

/**
 * Asks for the changes above `afterSeq`, and waits up to `waitMs` milliseconds for one if there are none. Without
 * `afterSeq` the answer has none, and tells from where on there are any.
 */
export const ChangesParams = Shape.struct("ProcessChangesParams", {
  sessions: Shape.nullable(Sessions),
  afterSeq: Shape.nullable(U64),
  /** Milliseconds to wait for a change if there is none (default 0). */
  waitMs: Shape.nullable(U64),
})
/** Decoded params of `process/changes`. */
export type ChangesParams = typeof ChangesParams.Type

/** A change. Its `seq` is counted over all sessions of the server. */
export const ProcessChange = Shape.struct("ProcessChange", {
  seq: U64,
  kind: ChangeKind,
  /** When that was, in milliseconds since 1970 by the clock of the server. */
  atMs: U53,
  /** As `process/list` has it behind the change. */
  process: ListedProcess,
})
/** A change. */
export type ProcessChange = typeof ProcessChange.Type

/** Changes, oldest first. `nextSeq` is where to read on: `afterSeq` of the next request is one less. */
export const ChangesResult = Shape.struct("ProcessChangesResponse", {
  /** Oldest first. */
  changes: Shape.list(ProcessChange),
  nextSeq: U64,
  /**
   * True if some above `afterSeq` are no longer kept: the answer has none, and lists tell what there is. Absent
   * otherwise.
   */
  missed: Shape.optional(Shape.boolean),
})
/** The result of `process/changes`. */
export type ChangesResult = typeof ChangesResult.Type
