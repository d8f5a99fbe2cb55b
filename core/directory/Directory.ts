/**
 * The directory: what many machines must agree upon. Which hosts there are, which of them has a session, and how many
 * sessions a tenant has. It never sees a byte of a process, nor a credential.
 *
 * Every directory guarantees:
 * - A session has one owner: the host of its highest fence. Words with a lower fence are refused with `Fenced`.
 * - A tenant never has more sessions than the quota of the claim that was granted, however many ask at once.
 * - Time is measured by the directory alone, and only while it can be asked: leases are durations, fences and epochs
 *   are numbers, and no two clocks are compared. While the directory is away no host is lost.
 * - Nothing is stuck: a claim without confirmation ends, a host that falls silent is lost and then gone.
 * - Every operation may be repeated, as its answer may have been lost; `Unavailable` says that it may have happened.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DirectoryError } from "./DirectoryError.ts"
import type { Ending, HostState, OwnEnding, SessionState } from "./Ending.ts"

/** Facts about a host, and what a claim asks for: each label that is asked for must be there with that value. */
export type Labels = Readonly<Record<string, string>>

export interface HostKey {
  /** The name of the host: the same after a restart. */
  readonly hostId: string
  /** A positive whole number that grows with every start of this host. It means nothing beside those of other hosts. */
  readonly epoch: number
}

export interface SessionKey {
  readonly sessionId: string
  /** The number that its claim was given. Later claims have greater ones. */
  readonly fence: number
}

export interface Held {
  /** The greatest `version` of the answers that the host has had: what was confirmed later is not spoken of. 0: none. */
  readonly upTo: number
  /** Those that it has. All others of this host that were confirmed up to that version have ended. */
  readonly sessions: ReadonlyArray<SessionKey & { readonly tenant: string }>
}

export interface Announcement extends HostKey {
  /** Labels that a claim can ask for. */
  readonly labels: Labels
  /** The number of sessions that it takes. */
  readonly capacity: number
  /** The address of the host; the directory does not look into it. */
  readonly address?: string | undefined
  /** Milliseconds without a word after which it is lost; as the directory has it by default. */
  readonly leaseMillis?: number | undefined
  /** Milliseconds without a word after which it is gone; as the directory has it by default. */
  readonly goneMillis?: number | undefined
  /** Its sessions. Without them, those of this epoch stay as they are. */
  readonly held?: Held | undefined
}

export interface Announced {
  /** Milliseconds within which the host has to renew its lease. */
  readonly leaseMillis: number
  /** Nothing new is started there. */
  readonly draining: boolean
  /** The last change in this directory, for `upTo`. */
  readonly version: number
  /** Sessions of the announcement that have ended for everybody else, or have another owner: the host ends them. */
  readonly over: ReadonlyArray<string>
}

export type Renewed = Pick<Announced, "leaseMillis" | "draining">

export interface HostRecord extends HostKey {
  /** Labels that a claim can ask for. */
  readonly labels: Labels
  /** The number of sessions that it takes. */
  readonly capacity: number
  /** The number of sessions that it has. */
  readonly used: number
  /** Its address, if it has announced one. */
  readonly address: string | undefined
  /** `live` while it renews its lease. */
  readonly state: HostState
  /** Nothing new is started there. */
  readonly draining: boolean
  /** Starts in a row that have failed there. From three on it gets one claim at a time, after a rest. */
  readonly failures: number
  /** Grows with every change of anything in this directory. */
  readonly version: number
}

export interface Claim {
  /** The id of the session. That of a session which lives is answered with that session. */
  readonly sessionId: string
  /** The tenant that it is counted for. */
  readonly tenant: string
  /** The most sessions of the tenant, this one included. Without it nothing is counted. */
  readonly quota?: number | undefined
  /** Labels that the host must have. */
  readonly labels?: Labels | undefined
}

export interface SessionRecord extends SessionKey, HostKey {
  /** The tenant that it is counted for. */
  readonly tenant: string
  readonly state: SessionState
  /** The way in which it has ended. */
  readonly ending: Ending | undefined
  /** Grows with every change of anything in this directory. */
  readonly version: number
}

/** A session that was looked up. */
export interface Found {
  readonly session: SessionRecord
  /** Its host: with the epoch of today, which may be another one than that of a session that has ended. */
  readonly host: HostRecord
}

export interface Query {
  /** Only this host and its sessions. */
  readonly hostId?: string | undefined
  /** Only sessions of this tenant. */
  readonly tenant?: string | undefined
  /** Sessions behind this id, in the order of code points. */
  readonly after?: string | undefined
  /** The most sessions, from 1 to 1,000, which is the default. */
  readonly limit?: number | undefined
}

export interface Listing {
  /** All hosts that were asked for, by id. */
  readonly hosts: ReadonlyArray<HostRecord>
  /** Sessions that have not ended, by id. */
  readonly sessions: ReadonlyArray<SessionRecord>
  /** The last id, if there are more. */
  readonly next: string | undefined
}

/** Something is as it was not before. */
export type Change =
  | { readonly kind: "host"; readonly host: HostRecord }
  | { readonly kind: "session"; readonly session: SessionRecord }

export interface DirectoryService {
  /**
   * A host is there, or is there again, and tells of its sessions. A greater epoch ends the sessions of the one before.
   * Fails with `Fenced` for an older epoch, and for an epoch that is gone.
   */
  readonly announce: (announcement: Announcement) => Effect.Effect<Announced, DirectoryError>
  /** A host is still there. Fails with `NoHostKnown` if it has to announce itself, with `Fenced` as `announce`. */
  readonly renew: (host: HostKey) => Effect.Effect<Renewed, DirectoryError>
  /** Nothing new is started on this host, or it takes sessions again. This outlasts its restarts. */
  readonly drain: (hostId: string, draining: boolean) => Effect.Effect<HostRecord, DirectoryError>
  /**
   * Finds a host for a session: of two random ones that fit the one with fewer failures in a row, then the emptier one.
   * Fails with `QuotaExceeded` and `NoHost`.
   */
  readonly claim: (claim: Claim) => Effect.Effect<SessionRecord, DirectoryError>
  /** The host has the session. Fails with `Fenced` if it has ended meanwhile: then the host ends it. */
  readonly confirm: (session: SessionKey) => Effect.Effect<SessionRecord, DirectoryError>
  /** A session, also one that has ended not long ago. */
  readonly lookup: (sessionId: string) => Effect.Effect<Found, DirectoryError>
  /** A session is over. One that has ended already keeps its first ending. Fails with `Fenced` if it has a newer owner. */
  readonly end: (session: SessionKey, ending: OwnEnding) => Effect.Effect<SessionRecord, DirectoryError>
  /** Hosts, and sessions that have not ended. */
  readonly list: (query?: Query) => Effect.Effect<Listing, DirectoryError>
  /**
   * All hosts and sessions that have not ended, and from then on what changes, each in its last state: what has changed
   * twice may be reported once. While the directory is away it waits, and goes on with what it has missed.
   */
  readonly watch: Stream.Stream<Change, DirectoryError>
}

/** The service by which hosts and routers agree. */
export class Directory extends Context.Service<Directory, DirectoryService>()("procwire/Directory") {}
