/** Announcements and claims that several cases use. */
import type { Announcement, Claim, SessionRecord } from "../../../core/directory/Directory.ts"
import type { Connection } from "../DirectoryContext.ts"

export const host = (hostId: string, more: Partial<Announcement> = {}): Announcement => ({
  hostId,
  epoch: 1,
  labels: {},
  capacity: 100,
  ...more,
})

export const wish = (sessionId: string, more: Partial<Claim> = {}): Claim => ({
  sessionId,
  tenant: "t",
  ...more,
})

export const announce = async (to: Connection, ...hosts: ReadonlyArray<Announcement>): Promise<void> => {
  for (const one of hosts) await to.ask((directory) => directory.announce(one))
}

export const claimed = (
  from: Connection,
  sessionId: string,
  more: Partial<Claim> = {},
): Promise<SessionRecord> => from.ask((directory) => directory.claim(wish(sessionId, more)))

/** A session that was claimed, and that its host has confirmed. */
export const running = async (
  from: Connection,
  sessionId: string,
  more: Partial<Claim> = {},
): Promise<SessionRecord> => {
  const session = await claimed(from, sessionId, more)
  return from.ask((directory) => directory.confirm(session))
}

/** A session in words: its state, and its ending. */
export const told = async (by: Connection, sessionId: string): Promise<string> => {
  const { session } = await by.ask((directory) => directory.lookup(sessionId))
  return session.state === "ended" ? `ended: ${session.ending}` : session.state
}
