/** Refusals of a directory, in the same words for every implementation: the value, the cause, and what to do. */
import type { Claim, HostKey, Labels, SessionKey } from "./Directory.ts"
import { refused, type DirectoryError } from "./DirectoryError.ts"
import type { Ending } from "./Ending.ts"

/** Why a host cannot take a session. */
export const obstacles = ["other labels", "lost", "draining", "full", "resting after failed starts"] as const

export type Obstacle = (typeof obstacles)[number]

/** An epoch that was followed by another. */
export const olderEpoch = ({ hostId, epoch }: HostKey, known: number): DirectoryError =>
  refused("Fenced", `epoch ${epoch} of host ${hostId} is over: it has announced epoch ${known}`)

/** An epoch that was silent for too long. */
export const goneEpoch = ({ hostId, epoch }: HostKey): DirectoryError =>
  refused(
    "Fenced",
    `epoch ${epoch} of host ${hostId} was silent for too long and is gone: end its sessions, announce a new epoch`,
  )

/** A renewal before the announcement. */
export const notAnnounced = ({ hostId, epoch }: HostKey): DirectoryError =>
  refused("NoHostKnown", `host ${hostId} has to announce epoch ${epoch}: it is not known here`)

export const unknownHost = (hostId: string): DirectoryError =>
  refused("NoHostKnown", `no host ${hostId} has announced itself`)

/** An id that is used by somebody else. */
export const otherTenant = ({ sessionId, tenant }: Claim): DirectoryError =>
  refused("Invalid", `session ${sessionId} is of another tenant than ${tenant}: take another id`)

/** A tenant that has as many sessions as it may have. */
export const quotaExceeded = ({ tenant, quota = 0 }: Claim): DirectoryError =>
  refused("QuotaExceeded", `tenant ${tenant} has its quota of ${quota} sessions: end one, or raise the quota`)

/** No host fits; `counts` tells how many each obstacle keeps from it. */
export const noHost = (
  { labels = {} }: { readonly labels?: Labels | undefined },
  counts: Readonly<Partial<Record<Obstacle, number>>>,
): DirectoryError => {
  const asked = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  const wanted = asked.length === 0 ? "a session" : `a session with ${asked.join(", ")}`
  const found = obstacles.flatMap((word) => ((counts[word] ?? 0) > 0 ? [`${counts[word]} ${word}`] : []))
  const hosts = found.length === 0 ? "none has announced itself" : `hosts: ${found.join(", ")}`
  return refused("NoHost", `no host for ${wanted}: ${hosts}`)
}

export const noSession = (sessionId: string): DirectoryError =>
  refused("NoSession", `no session ${sessionId} is known: it never was, or it has ended long ago`)

/** Words about a session that has another fence. */
export const otherFence = ({ sessionId, fence }: SessionKey, known: number): DirectoryError =>
  refused("Fenced", `session ${sessionId} has the fence ${known}: words with ${fence} are not heard`)

/** A confirmation that comes too late. */
export const hasEnded = ({ sessionId }: SessionKey, ending: Ending | undefined): DirectoryError =>
  refused("Fenced", `session ${sessionId} has ended (${ending ?? "closed"}): the host ends it, too`)
