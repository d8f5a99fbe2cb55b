/** Invariants of a list of a whole directory, at any moment. */
import type { Listing } from "./Directory.ts"

/** The violated invariant of a complete list; undefined if every one holds. */
export const fault = ({ hosts, sessions }: Listing): string | undefined => {
  const owners = new Set<string>()
  for (const { sessionId, hostId, epoch, state } of sessions) {
    if (owners.has(sessionId)) return `session ${sessionId} has two owners`
    owners.add(sessionId)
    if (state === "ended") return `session ${sessionId} has ended and is listed`
    const host = hosts.find((one) => one.hostId === hostId)
    if (host === undefined) return `session ${sessionId} is on host ${hostId}, which is not known`
    if (host.epoch !== epoch)
      return `session ${sessionId} is of epoch ${epoch}, and ${hostId} has ${host.epoch}`
    if (host.state === "gone") return `session ${sessionId} lives on host ${hostId}, which is gone`
  }
  for (const { hostId, used } of hosts) {
    const count = sessions.filter((one) => one.hostId === hostId).length
    if (count !== used) return `host ${hostId} counts ${used} sessions, and has ${count}`
  }
  return undefined
}
