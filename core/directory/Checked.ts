/** Refuses requests that can never be right, in the same words for every directory, before it is asked. */
import * as Effect from "effect/Effect"
import type {
  Announcement,
  Claim,
  DirectoryService,
  HostKey,
  Labels,
  Query,
  SessionKey,
} from "./Directory.ts"
import { refused, type DirectoryError } from "./DirectoryError.ts"
import { mostMillis } from "./DirectoryOptions.ts"
import { ownEndings } from "./Ending.ts"

/** Labels that a host may have, or a claim may ask for. */
export const mostLabels = 64

/** Sessions in one part of a list. */
export const mostListed = 1_000

/** The same directory, which refuses with `Invalid` what can never be right. */
export const checked = (service: DirectoryService): DirectoryService => ({
  announce: (announcement) => after(announcementFault(announcement), () => service.announce(announcement)),
  renew: (host) => after(hostFault(host), () => service.renew(host)),
  drain: (hostId, draining) => after(idFault("hostId", hostId), () => service.drain(hostId, draining)),
  claim: (claim) => after(claimFault(claim), () => service.claim(claim)),
  confirm: (session) => after(sessionFault(session), () => service.confirm(session)),
  lookup: (sessionId) => after(idFault("sessionId", sessionId), () => service.lookup(sessionId)),
  end: (session, ending) =>
    after(sessionFault(session) ?? choiceFault("ending", ending, ownEndings), () =>
      service.end(session, ending),
    ),
  list: (query = {}) => after(queryFault(query), () => service.list(query)),
  watch: service.watch,
})

const after = <A>(
  fault: string | undefined,
  work: () => Effect.Effect<A, DirectoryError>,
): Effect.Effect<A, DirectoryError> =>
  Effect.suspend(() => (fault === undefined ? work() : Effect.fail(refused("Invalid", fault))))

const announcementFault = (announcement: Announcement): string | undefined =>
  hostFault(announcement) ??
  labelsFault(announcement.labels) ??
  numberFault("capacity", announcement.capacity, 0, 1_000_000) ??
  textFault("address", announcement.address, 2_000) ??
  optional(announcement.leaseMillis, (value) => numberFault("leaseMillis", value, 1, mostMillis)) ??
  optional(announcement.goneMillis, (value) => numberFault("goneMillis", value, 1, mostMillis)) ??
  optional(announcement.held, ({ upTo, sessions }) =>
    first([
      numberFault("held.upTo", upTo, 0),
      ...sessions.flatMap((held) => [sessionFault(held), idFault("tenant", held.tenant)]),
    ]),
  )

const claimFault = ({ sessionId, tenant, quota, labels = {} }: Claim): string | undefined =>
  idFault("sessionId", sessionId) ??
  idFault("tenant", tenant) ??
  optional(quota, (value) => numberFault("quota", value, 0)) ??
  labelsFault(labels)

const queryFault = ({ hostId, tenant, after, limit }: Query): string | undefined =>
  optional(hostId, (value) => idFault("hostId", value)) ??
  optional(tenant, (value) => idFault("tenant", value)) ??
  optional(after, (value) => idFault("after", value)) ??
  optional(limit, (value) => numberFault("limit", value, 1, mostListed))

const hostFault = ({ hostId, epoch }: HostKey): string | undefined =>
  idFault("hostId", hostId) ?? numberFault("epoch", epoch, 1)

const sessionFault = ({ sessionId, fence }: SessionKey): string | undefined =>
  idFault("sessionId", sessionId) ?? numberFault("fence", fence, 1)

const labelsFault = (labels: Labels): string | undefined => {
  const entries = Object.entries(labels)
  if (entries.length > mostLabels) return `there may be ${mostLabels} labels, and there are ${entries.length}`
  return first(
    entries.flatMap(([name, value]) => [
      /^[\x21-\x7e]{1,63}$/.test(name)
        ? undefined
        : `the name of a label must be 1 to 63 visible ASCII characters: ${JSON.stringify(name)}`,
      textFault(`label ${name}`, value, 256),
    ]),
  )
}

/** Ids are visible ASCII, so that every engine has them in the same order. */
const idFault = (name: string, value: string): string | undefined =>
  /^[\x21-\x7e]{1,200}$/.test(value)
    ? undefined
    : `${name} must be 1 to 200 visible ASCII characters: ${JSON.stringify(value)}`

const textFault = (name: string, value: string | undefined, most: number): string | undefined =>
  value === undefined || (value.length <= most && /^[\x20-\x7e]*$/.test(value))
    ? undefined
    : `${name} must be at most ${most} printable ASCII characters: ${JSON.stringify(value)}`

const numberFault = (
  name: string,
  value: number,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): string | undefined =>
  Number.isSafeInteger(value) && value >= least && value <= most
    ? undefined
    : `${name} must be a whole number from ${least} to ${most}: ${value}`

const choiceFault = (name: string, value: string, choices: ReadonlyArray<string>): string | undefined =>
  choices.includes(value) ? undefined : `${name} must be one of ${choices.join(", ")}: ${value}`

const optional = <A>(value: A | undefined, fault: (value: A) => string | undefined): string | undefined =>
  value === undefined ? undefined : fault(value)

const first = (faults: ReadonlyArray<string | undefined>): string | undefined =>
  faults.find((fault) => fault !== undefined)
