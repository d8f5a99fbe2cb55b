/** The announcements of hosts, and the fate of silent ones. */
import * as Result from "effect/Result"
import {
  close,
  failed,
  hostRecord,
  putHost,
  putSession,
  sessionsOf,
  type Book,
  type HostRow,
  type SessionRow,
  type Step,
} from "./Book.ts"
import type { Announced, Announcement, Held, HostKey, HostRecord, Renewed } from "./Directory.ts"
import type { DirectoryError } from "./DirectoryError.ts"
import type { Settings } from "./DirectoryOptions.ts"
import * as Refusals from "./Refusals.ts"

/** A host is there. */
export const announce = (book: Book, said: Announcement, settings: Settings): Step<Announced> => {
  const known = book.hosts.get(said.hostId)
  const late = lateWords(known, said)
  if (late !== undefined) return Result.fail(late)
  if (known !== undefined && said.epoch > known.epoch)
    for (const session of sessionsOf(book, said.hostId)) close(book, session, "host restarted", settings)
  const before = book.hosts.get(said.hostId)
  const leaseMillis = said.leaseMillis ?? settings.leaseMillis
  const row = putHost(book, {
    hostId: said.hostId,
    epoch: said.epoch,
    labels: { ...said.labels },
    capacity: said.capacity,
    address: said.address,
    leaseMillis,
    goneMillis: Math.max(leaseMillis, said.goneMillis ?? settings.goneMillis),
    used: before?.used ?? 0,
    state: "up",
    draining: before?.draining ?? false,
    failures: before?.failures ?? 0,
    restUntil: before?.restUntil ?? 0,
    renewedAt: book.time,
    version: 0,
  })
  const over = said.held === undefined ? [] : reconcile(book, said, said.held, settings)
  return Result.succeed({ leaseMillis, draining: row.draining, version: book.version, over })
}

/** The host is the truth about the sessions that it has; those that have ended for others stay ended. */
const reconcile = (
  book: Book,
  host: HostKey,
  { upTo, sessions }: Held,
  settings: Settings,
): ReadonlyArray<string> => {
  const announced = new Set(sessions.map(({ sessionId }) => sessionId))
  for (const row of sessionsOf(book, host.hostId))
    if (row.state === "running" && row.version <= upTo && !announced.has(row.sessionId))
      close(book, row, "host forgot it", settings)
  return sessions.flatMap(({ sessionId, fence, tenant }) => {
    const known = book.sessions.get(sessionId)
    const own = known?.hostId === host.hostId && known.epoch === host.epoch
    if (known !== undefined && known.fence === fence && known.state !== "ended" && own) {
      if (known.state === "claimed") confirmed(book, known)
      return []
    }
    if (known !== undefined && known.fence >= fence) return [sessionId]
    if (known !== undefined && known.state !== "ended") close(book, known, "host forgot it", settings)
    book.fence = Math.max(book.fence, fence)
    const row = book.hosts.get(host.hostId)
    if (row !== undefined) putHost(book, { ...row, used: row.used + 1 })
    const { hostId, epoch } = host
    const state = "running"
    putSession(book, {
      sessionId,
      fence,
      tenant,
      hostId,
      epoch,
      state,
      ending: undefined,
      until: 0,
      version: 0,
    })
    return []
  })
}

/** A claim has come true: its host works. */
export const confirmed = (book: Book, row: SessionRow): SessionRow => {
  const host = book.hosts.get(row.hostId)
  if (host !== undefined && host.failures > 0) putHost(book, { ...host, failures: 0, restUntil: 0 })
  return putSession(book, { ...row, state: "running", until: 0 })
}

/** A host is still there. */
export const renew = (book: Book, key: HostKey): Step<Renewed> => {
  const row = book.hosts.get(key.hostId)
  const late = lateWords(row, key)
  if (late !== undefined) return Result.fail(late)
  if (row === undefined || row.epoch < key.epoch) return Result.fail(Refusals.notAnnounced(key))
  const renewed = { ...row, renewedAt: book.time }
  if (row.state === "up") book.hosts.set(row.hostId, renewed)
  else putHost(book, { ...renewed, state: "up" })
  return Result.succeed({ leaseMillis: row.leaseMillis, draining: row.draining })
}

/** Nothing new is started on a host, or it takes sessions again. */
export const drain = (book: Book, hostId: string, draining: boolean): Step<HostRecord> => {
  const row = book.hosts.get(hostId)
  if (row === undefined) return Result.fail(Refusals.unknownHost(hostId))
  return Result.succeed(hostRecord(row.draining === draining ? row : putHost(book, { ...row, draining })))
}

/** The effects of time alone: hosts are lost and gone, claims expire, ended sessions are forgotten. */
export const sweep = (book: Book, settings: Settings): void => {
  for (const row of book.sessions.values()) {
    if (row.state === "running" || book.time < row.until) continue
    if (row.state === "ended") book.sessions.delete(row.sessionId)
    else {
      close(book, row, "never started", settings)
      failed(book, row.hostId, settings)
    }
  }
  for (const row of book.hosts.values()) {
    const silent = book.time - row.renewedAt
    if (row.state === "gone" || silent <= row.leaseMillis) continue
    if (silent > row.goneMillis) {
      for (const session of sessionsOf(book, row.hostId)) close(book, session, "host gone", settings)
      putHost(book, { ...(book.hosts.get(row.hostId) ?? row), state: "gone" })
    } else if (row.state === "up") putHost(book, { ...row, state: "lost" })
  }
}

/** Words of a host that is over. */
const lateWords = (known: HostRow | undefined, key: HostKey): DirectoryError | undefined => {
  if (known === undefined || key.epoch > known.epoch) return undefined
  if (key.epoch < known.epoch) return Refusals.olderEpoch(key, known.epoch)
  return known.state === "gone" ? Refusals.goneEpoch(key) : undefined
}
