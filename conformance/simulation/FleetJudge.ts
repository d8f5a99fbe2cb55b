/**
 * Watches the directory of a fleet from outside: every answer that it gives, and every change that it tells of. One
 * owner, quota never above, late words refused, no host lost or gone that was heard, no session ended without a cause.
 */
import * as Effect from "effect/Effect"
import type {
  Change,
  Claim,
  DirectoryService,
  HostRecord,
  SessionKey,
  SessionRecord,
} from "../../core/directory/Directory.ts"
import type { DirectoryError } from "../../core/directory/DirectoryError.ts"
import type { Settings } from "../../core/directory/DirectoryOptions.ts"
import * as Invariants from "../../core/directory/Invariants.ts"
import type { World } from "./World.ts"

/** When a directory was away: that time does not count. */
export interface Absences {
  readonly away: ReadonlyArray<readonly [from: number, to: number]>
}

/** True if a host runs a session. */
type Runs = (hostId: string, session: SessionKey) => boolean

export const make = (world: World, settings: Settings, absences: Absences, runs: Runs) => {
  const fences = new Map<string, number>()
  const epochs = new Map<string, number>()
  const heard = new Map<string, number>()
  const claimedAt = new Map<number, number>()
  const confirmed = new Set<number>()
  const ended = new Set<number>()

  /** The same directory, of which every answer is judged in the moment in which it is given. */
  const watched = (directory: DirectoryService): DirectoryService => {
    const then = <A>(effect: Effect.Effect<A, DirectoryError>, look: (answer: A) => void) =>
      Effect.tap(
        Effect.tap(effect, (answer) => Effect.sync(() => look(answer))),
        whole(directory),
      )
    return {
      ...directory,
      announce: (said) => then(directory.announce(said), () => hears(said.hostId, said.epoch)),
      renew: (key) => then(directory.renew(key), () => hears(key.hostId, key.epoch)),
      claim: (asked) =>
        Effect.tap(
          then(directory.claim(asked), (session) => grants(session)),
          counts(directory, asked),
        ),
      confirm: (key) => then(directory.confirm(key), (session) => confirms(key.fence, session)),
      end: (key, how) => then(directory.end(key, how), (session) => closes(key.fence, session)),
    }
  }

  const tell = (change: Change): void => {
    if (change.kind === "host") tellHost(change.host)
    else tellSession(change.session)
  }

  const whole = (directory: DirectoryService) =>
    Effect.map(directory.list(), (listing) => {
      const fault = Invariants.fault(listing)
      if (fault !== undefined) world.violate("one owner for each session", fault)
    })

  const counts = (directory: DirectoryService, { tenant, quota = Infinity }: Claim) =>
    Effect.map(directory.list({ tenant }), ({ sessions }) => {
      if (sessions.length > quota)
        world.violate("quota never above", `${tenant} has ${sessions.length} of ${quota}`)
    })

  const hears = (hostId: string, epoch: number): void => {
    const known = epochs.get(hostId) ?? 0
    if (epoch < known) world.violate("late words are refused", `${hostId}: epoch ${epoch} after ${known}`)
    epochs.set(hostId, epoch)
    heard.set(hostId, world.now)
  }

  const grants = ({ sessionId, fence }: SessionRecord): void => {
    const known = fences.get(sessionId) ?? 0
    if (fence < known) world.violate("fences grow", `${sessionId}: ${fence} after ${known}`)
    if (fence === known && ended.has(fence))
      world.violate("what has ended stays ended", `${sessionId} with the fence ${fence} lives again`)
    fences.set(sessionId, fence)
    if (!claimedAt.has(fence)) claimedAt.set(fence, world.now)
  }

  const confirms = (fence: number, session: SessionRecord): void => {
    if (fence !== session.fence || fence !== fences.get(session.sessionId) || ended.has(fence))
      world.violate("late words are refused", `${session.sessionId} was confirmed with the fence ${fence}`)
    confirmed.add(fence)
  }

  const closes = (fence: number, session: SessionRecord): void => {
    if (fence !== session.fence || fence !== fences.get(session.sessionId))
      world.violate("late words are refused", `${session.sessionId} was ended with the fence ${fence}`)
    ended.add(fence)
  }

  const tellHost = ({ hostId, state }: HostRecord): void => {
    world.note(`directory: ${hostId} is ${state}`)
    const silent = silence(hostId)
    const least = state === "gone" ? settings.goneMillis : settings.leaseMillis
    if (state !== "up" && silent < least)
      world.violate("who is heard is not lost", `${hostId} is ${state} after ${silent} ms`)
  }

  /** Milliseconds without a word, of which at most a step counts while the directory was away. */
  const silence = (hostId: string): number => {
    const from = heard.get(hostId) ?? 0
    const away = absences.away.map(([begin, end]) =>
      Math.max(0, Math.min(end, world.now) - Math.max(begin, from)),
    )
    return away.reduce((left, each) => left - Math.max(0, each - settings.stepMillis), world.now - from)
  }

  const tellSession = ({ sessionId, fence, state, ending, hostId, epoch }: SessionRecord): void => {
    const how = state === "ended" ? `ended: ${ending}` : state
    world.note(`directory: ${sessionId}, fence ${fence} on ${hostId}, ${how}`)
    if (state !== "ended") return
    ended.add(fence)
    const waited = world.now - (claimedAt.get(fence) ?? world.now)
    const wrong =
      (ending === "host forgot it" && runs(hostId, { sessionId, fence })) ||
      (ending === "host restarted" && (epochs.get(hostId) ?? 0) <= epoch) ||
      (ending === "never started" && (waited < settings.claimMillis || confirmed.has(fence))) ||
      (ending === "host gone" && silence(hostId) < settings.goneMillis)
    if (wrong) world.violate("no session ends without a cause", `${sessionId}, fence ${fence}: ${ending}`)
  }
  return { watched, tell }
}
