/**
 * The book of a directory: what it knows, as plain data, and what every layer has in common. `HostBook` and
 * `SessionBook` change it, one step after the other; a step that fails has changed nothing but the time.
 *
 * Time is counted here. Of the milliseconds between two looks at a clock at most `stepMillis` count, and none if the
 * clock was set back: so no host is lost because the directory was away.
 */
import type * as Result from "effect/Result"
import type { HostRecord, SessionRecord } from "./Directory.ts"
import type { DirectoryError } from "./DirectoryError.ts"
import type { Settings } from "./DirectoryOptions.ts"
import type { Ending } from "./Ending.ts"

export interface HostRow extends HostRecord {
  /** Silence after which it is lost. */
  readonly leaseMillis: number
  /** Silence after which it is gone. */
  readonly goneMillis: number
  /** Milliseconds since 1970 of its last sign of life. */
  readonly renewedAt: number
  /** Milliseconds since 1970 from which it gets a claim again after failed starts. */
  readonly restUntil: number
}

export interface SessionRow extends SessionRecord {
  /** Milliseconds since 1970 at which an unconfirmed claim expires, or an ended session is forgotten. */
  readonly until: number
}

export interface Book {
  /** Milliseconds that have counted. */
  time: number
  /** The clock at the last look. */
  looked: number | undefined
  /** The greatest fence that was given. */
  fence: number
  version: number
  readonly hosts: Map<string, HostRow>
  readonly sessions: Map<string, SessionRow>
}

export type Step<A> = Result.Result<A, DirectoryError>

export const make = (): Book => ({
  time: 0,
  looked: undefined,
  fence: 0,
  version: 0,
  hosts: new Map(),
  sessions: new Map(),
})

/** Counts the time since the last look. `now` is in milliseconds, of one clock. */
export const look = (book: Book, now: number, { stepMillis }: Settings): void => {
  if (book.looked !== undefined) book.time += Math.min(stepMillis, Math.max(0, now - book.looked))
  book.looked = now
}

/** Writes a host, with a version of its own. */
export const putHost = (book: Book, row: HostRow): HostRow => {
  const written = { ...row, version: ++book.version }
  book.hosts.set(row.hostId, written)
  return written
}

/** Writes a session, with a version of its own. */
export const putSession = (book: Book, row: SessionRow): SessionRow => {
  const written = { ...row, version: ++book.version }
  book.sessions.set(row.sessionId, written)
  return written
}

/** Ends a session that lives, and gives its place back. */
export const close = (book: Book, row: SessionRow, ending: Ending, { keepMillis }: Settings): SessionRow => {
  const host = book.hosts.get(row.hostId)
  if (host !== undefined) putHost(book, { ...host, used: Math.max(0, host.used - 1) })
  return putSession(book, { ...row, state: "ended", ending, until: book.time + keepMillis })
}

export const sessionsOf = (book: Book, hostId: string): ReadonlyArray<SessionRow> =>
  [...book.sessions.values()].filter((row) => row.hostId === hostId && row.state !== "ended")

/** One more failed start of a host: from `failures` on it rests. */
export const failed = (book: Book, hostId: string, { restMillis }: Settings): void => {
  const host = book.hosts.get(hostId)
  if (host !== undefined)
    putHost(book, { ...host, failures: host.failures + 1, restUntil: book.time + restMillis })
}

/** A host as others see it. */
export const hostRecord = (row: HostRow): HostRecord => ({
  hostId: row.hostId,
  epoch: row.epoch,
  labels: row.labels,
  capacity: row.capacity,
  used: row.used,
  address: row.address,
  state: row.state,
  draining: row.draining,
  failures: row.failures,
  version: row.version,
})

/** A session as others see it. */
export const sessionRecord = (row: SessionRow): SessionRecord => ({
  sessionId: row.sessionId,
  fence: row.fence,
  tenant: row.tenant,
  hostId: row.hostId,
  epoch: row.epoch,
  state: row.state,
  ending: row.ending,
  version: row.version,
})
