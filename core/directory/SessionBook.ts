/** Claims of places for sessions, and what becomes of sessions. */
import * as Result from "effect/Result"
import {
  close,
  failed,
  hostRecord,
  putHost,
  putSession,
  sessionRecord,
  type Book,
  type SessionRow,
  type Step,
} from "./Book.ts"
import type { Change, Claim, Found, Listing, Query, SessionKey, SessionRecord } from "./Directory.ts"
import { mostListed } from "./Checked.ts"
import type { Settings } from "./DirectoryOptions.ts"
import type { OwnEnding } from "./Ending.ts"
import { confirmed } from "./HostBook.ts"
import * as Placement from "./Placement.ts"
import * as Refusals from "./Refusals.ts"

/** Finds a host. `random` gives whole numbers from 0 to below its argument. */
export const claim = (
  book: Book,
  asked: Claim,
  settings: Settings,
  random: (below: number) => number,
): Step<SessionRecord> => {
  const { sessionId, tenant, quota, labels = {} } = asked
  const known = book.sessions.get(sessionId)
  if (known !== undefined && known.tenant !== tenant) return Result.fail(Refusals.otherTenant(asked))
  if (known !== undefined && known.state !== "ended") return Result.succeed(sessionRecord(known))
  if (quota !== undefined && countOf(book, tenant) >= quota) return Result.fail(Refusals.quotaExceeded(asked))
  const rows = [...book.hosts.values()]
  const pending = new Set(
    [...book.sessions.values()].filter(({ state }) => state === "claimed").map(({ hostId }) => hostId),
  )
  const found = rows.map((row) => Placement.obstacle(row, labels, book.time, settings, pending))
  const fit = rows.filter((_, index) => found[index] === undefined)
  const host = Placement.choose(fit, random)
  if (host === undefined) return Result.fail(Refusals.noHost(asked, Placement.countsOf(found)))
  putHost(book, { ...host, used: host.used + 1 })
  const { hostId, epoch } = host
  const fence = ++book.fence
  const until = book.time + settings.claimMillis
  const state = "claimed"
  const row = {
    sessionId,
    fence,
    tenant,
    hostId,
    epoch,
    state,
    ending: undefined,
    until,
    version: 0,
  } as const
  return Result.succeed(sessionRecord(putSession(book, row)))
}

const countOf = (book: Book, tenant: string): number =>
  [...book.sessions.values()].filter((row) => row.tenant === tenant && row.state !== "ended").length

/** The host has the session. */
export const confirm = (book: Book, key: SessionKey): Step<SessionRecord> => {
  const found = current(book, key)
  if (Result.isFailure(found)) return found
  const row = found.success
  if (row.state === "ended") return Result.fail(Refusals.hasEnded(key, row.ending))
  return Result.succeed(sessionRecord(row.state === "running" ? row : confirmed(book, row)))
}

export const end = (
  book: Book,
  key: SessionKey,
  ending: OwnEnding,
  settings: Settings,
): Step<SessionRecord> => {
  const found = current(book, key)
  if (Result.isFailure(found)) return found
  const row = found.success
  if (row.state === "ended") return Result.succeed(sessionRecord(row))
  const closed = close(book, row, ending, settings)
  if (ending === "start failed" && row.state === "claimed") failed(book, row.hostId, settings)
  return Result.succeed(sessionRecord(closed))
}

/** A session, also one that has ended not long ago. */
export const lookup = (book: Book, sessionId: string): Step<Found> => {
  const session = book.sessions.get(sessionId)
  const host = session === undefined ? undefined : book.hosts.get(session.hostId)
  if (session === undefined || host === undefined) return Result.fail(Refusals.noSession(sessionId))
  return Result.succeed({ session: sessionRecord(session), host: hostRecord(host) })
}

/** Hosts, and sessions that have not ended. */
export const list = (book: Book, { hostId, tenant, after = "", limit = mostListed }: Query): Listing => {
  const hosts = [...book.hosts.values()].filter((row) => hostId === undefined || row.hostId === hostId)
  const sessions = [...book.sessions.values()]
    .filter((row) => row.state !== "ended" && row.sessionId > after)
    .filter((row) => hostId === undefined || row.hostId === hostId)
    .filter((row) => tenant === undefined || row.tenant === tenant)
    .sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1))
  const part = sessions.slice(0, limit).map(sessionRecord)
  return {
    hosts: hosts.sort((one, other) => (one.hostId < other.hostId ? -1 : 1)).map(hostRecord),
    sessions: part,
    next: part.length < sessions.length ? part.at(-1)?.sessionId : undefined,
  }
}

/** The changes since a version, in order. From 0 on: the present rows, without ended sessions. */
export const changes = (book: Book, since: number): ReadonlyArray<Change> => {
  const hosts = [...book.hosts.values()]
    .filter(({ version }) => version > since)
    .map((row) => ({ kind: "host", host: hostRecord(row) }) as const)
  const sessions = [...book.sessions.values()]
    .filter(({ version, state }) => version > since && (since > 0 || state !== "ended"))
    .map((row) => ({ kind: "session", session: sessionRecord(row) }) as const)
  return [...hosts, ...sessions].sort((one, other) => versionOf(one) - versionOf(other))
}

export const versionOf = (change: Change): number =>
  change.kind === "host" ? change.host.version : change.session.version

/** The session, if the words about it are not late. */
const current = (book: Book, key: SessionKey): Step<SessionRow> => {
  const row = book.sessions.get(key.sessionId)
  if (row === undefined) return Result.fail(Refusals.noSession(key.sessionId))
  if (key.fence !== row.fence) return Result.fail(Refusals.otherFence(key, row.fence))
  return Result.succeed(row)
}
