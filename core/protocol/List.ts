/**
 * `process/list` and `session/list`: what runs, in pages. Needs the capability `processList`.
 *
 * A session is named by its number: its id is a secret, and no list has it.
 */
import * as Shape from "./shape/index.ts"
import * as Features from "../features/FieldWires.ts"
import { I32, NonZero, U53, U64 } from "./Integers.ts"
import { Labels, TerminalSize } from "./Process.ts"

/** The state of a process. */
export const State = Shape.namedWords("ProcessState", "starting", "running", "exited", "closed")
/** The state of a process. */
export type State = typeof State.Type

/** The sessions of a list: the own one, or every session of the server, which needs the capability `processListAll`. */
export const Sessions = Shape.words("own", "all")
/** The sessions whose processes are listed: the own one, or all. */
export type Visible = typeof Sessions.Type

/** The rows of a page, if the request does not say how many. */
export const defaultRows = 100

/** The most rows of a page. */
export const mostRows = 500

const page = {
  sessions: Shape.nullable(Sessions),
  /** The most rows of the page, at most 500; the default is 100. */
  limit: Shape.nullable(NonZero),
  cursor: Shape.nullable(Shape.string),
}

/**
 * Asks for a page of processes, oldest first: at most `limit` (default 100; a page has at most 500), behind `cursor`,
 * the `nextCursor` of the page before. Only those that have `name`, all of `labels` and one of `states`, where given.
 */
export const ListParams = Shape.struct("ProcessListParams", {
  ...page,
  /** Only processes with this name. */
  name: Shape.nullable(Shape.string),
  labels: Shape.nullable(Labels),
  states: Shape.nullable(Shape.list(State)),
})
/** Decoded params of `process/list`. */
export type ListParams = typeof ListParams.Type

/**
 * A process. `session` is the number of its session, `attached` whether a connection has that session. `cwd` is a
 * `file:` URI. `terminalSize` is there with a PTY. `bytes` were written so far; its next event has the seq `nextSeq`.
 */
export const ListedProcess = Shape.struct("ListedProcess", {
  processId: Shape.string,
  session: U53,
  attached: Shape.boolean,
  name: Shape.optional(Shape.string),
  labels: Labels,
  /** The program and its arguments. */
  argv: Shape.list(Shape.string),
  cwd: Shape.string,
  pid: Shape.nullOr(U53),
  /** True if it has a PTY. */
  tty: Shape.boolean,
  /** The size of its PTY. */
  terminalSize: Shape.optional(TerminalSize),
  /** When its start was asked for, in milliseconds since 1970 by the clock of the server. */
  startedAtMs: U53,
  /** When it exited, by the same clock; absent while it runs. */
  endedAtMs: Shape.optional(U53),
  state: State,
  exitCode: Shape.nullOr(I32),
  /** The bytes that it has printed so far. */
  bytes: U53,
  nextSeq: U64,
  /** True if it is kept until it is removed; absent otherwise. */
  kept: Shape.optional(Shape.boolean),
  ...Features.rowFields,
})
export type { RowFields } from "../features/FieldWires.ts"

/** A process. */
export type ListedProcess = typeof ListedProcess.Type

/**
 * A page. `nextCursor` is null behind the last one; a page may have fewer rows than were asked for, even none, and not
 * be the last. Processes that start or are forgotten meanwhile change nothing for the others: each has its place.
 */
export const ListResult = Shape.struct("ProcessListResponse", {
  processes: Shape.list(ListedProcess),
  nextCursor: Shape.nullOr(Shape.string),
})
/** The result of `process/list`. */
export type ListResult = typeof ListResult.Type

/** Asks for a page of sessions, oldest first. */
export const SessionsParams = Shape.struct("SessionListParams", page)
/** Decoded params of `session/list`. */
export type SessionsParams = typeof SessionsParams.Type

/** A session: its number, whether it is that of the client, and the processes that it has, closed ones included. */
export const ListedSession = Shape.struct("ListedSession", {
  session: U53,
  /** True if it is the session of the client. */
  own: Shape.boolean,
  attached: Shape.boolean,
  /** When it was opened, in milliseconds since 1970 by the clock of the server. */
  openedAtMs: U53,
  processes: U53,
})
/** A session. */
export type ListedSession = typeof ListedSession.Type

/** A page; see `ListResult`. */
export const SessionsResult = Shape.struct("SessionListResponse", {
  sessions: Shape.list(ListedSession),
  nextCursor: Shape.nullOr(Shape.string),
})

/** The kind of a change. The end of a session is `removed` for all that it has. */
export const ChangeKind = Shape.namedWords("ProcessChangeKind", "started", "restarted", "exited", "removed")
/** The kind of a change. */
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
