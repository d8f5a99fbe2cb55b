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

export class FleetJudge {
  runs: (hostId: string, session: SessionKey) => boolean = () => false
  private readonly world: World
  private readonly settings: Settings
  private readonly absences: Absences
  private readonly fences = new Map<string, number>()
  private readonly epochs = new Map<string, number>()
  private readonly heard = new Map<string, number>()
  private readonly claimedAt = new Map<number, number>()
  private readonly confirmed = new Set<number>()
  private readonly ended = new Set<number>()

  constructor(world: World, settings: Settings, absences: Absences) {
    this.world = world
    this.settings = settings
    this.absences = absences
  }

  /** The same directory, of which every answer is judged in the moment in which it is given. */
  watched(directory: DirectoryService): DirectoryService {
    const then = <A>(effect: Effect.Effect<A, DirectoryError>, look: (answer: A) => void) =>
      Effect.tap(
        Effect.tap(effect, (answer) => Effect.sync(() => look(answer))),
        this.whole(directory),
      )
    return {
      ...directory,
      announce: (said) => then(directory.announce(said), () => this.hears(said.hostId, said.epoch)),
      renew: (key) => then(directory.renew(key), () => this.hears(key.hostId, key.epoch)),
      claim: (asked) =>
        Effect.tap(
          then(directory.claim(asked), (session) => this.grants(session)),
          this.counts(directory, asked),
        ),
      confirm: (key) => then(directory.confirm(key), (session) => this.confirms(key.fence, session)),
      end: (key, how) => then(directory.end(key, how), (session) => this.closes(key.fence, session)),
    }
  }

  tell(change: Change): void {
    if (change.kind === "host") this.tellHost(change.host)
    else this.tellSession(change.session)
  }

  private whole(directory: DirectoryService) {
    return Effect.map(directory.list(), (listing) => {
      const fault = Invariants.fault(listing)
      if (fault !== undefined) this.world.violate("one owner for each session", fault)
    })
  }

  private counts(directory: DirectoryService, { tenant, quota = Infinity }: Claim) {
    return Effect.map(directory.list({ tenant }), ({ sessions }) => {
      if (sessions.length > quota)
        this.world.violate("quota never above", `${tenant} has ${sessions.length} of ${quota}`)
    })
  }

  private hears(hostId: string, epoch: number): void {
    const known = this.epochs.get(hostId) ?? 0
    if (epoch < known)
      this.world.violate("late words are refused", `${hostId}: epoch ${epoch} after ${known}`)
    this.epochs.set(hostId, epoch)
    this.heard.set(hostId, this.world.now)
  }

  private grants({ sessionId, fence }: SessionRecord): void {
    const known = this.fences.get(sessionId) ?? 0
    if (fence < known) this.world.violate("fences grow", `${sessionId}: ${fence} after ${known}`)
    if (fence === known && this.ended.has(fence))
      this.world.violate("what has ended stays ended", `${sessionId} with the fence ${fence} lives again`)
    this.fences.set(sessionId, fence)
    if (!this.claimedAt.has(fence)) this.claimedAt.set(fence, this.world.now)
  }

  private confirms(fence: number, session: SessionRecord): void {
    if (fence !== session.fence || fence !== this.fences.get(session.sessionId) || this.ended.has(fence))
      this.world.violate(
        "late words are refused",
        `${session.sessionId} was confirmed with the fence ${fence}`,
      )
    this.confirmed.add(fence)
  }

  private closes(fence: number, session: SessionRecord): void {
    if (fence !== session.fence || fence !== this.fences.get(session.sessionId))
      this.world.violate("late words are refused", `${session.sessionId} was ended with the fence ${fence}`)
    this.ended.add(fence)
  }

  private tellHost({ hostId, state }: HostRecord): void {
    this.world.trace.add(this.world.now, `directory: ${hostId} is ${state}`)
    const silent = this.silence(hostId)
    const least = state === "gone" ? this.settings.goneMillis : this.settings.leaseMillis
    if (state !== "up" && silent < least)
      this.world.violate("who is heard is not lost", `${hostId} is ${state} after ${silent} ms`)
  }

  /** Milliseconds without a word, of which at most a step counts while the directory was away. */
  private silence(hostId: string): number {
    const from = this.heard.get(hostId) ?? 0
    const away = this.absences.away.map(([begin, end]) =>
      Math.max(0, Math.min(end, this.world.now) - Math.max(begin, from)),
    )
    return away.reduce(
      (left, each) => left - Math.max(0, each - this.settings.stepMillis),
      this.world.now - from,
    )
  }

  private tellSession({ sessionId, fence, state, ending, hostId, epoch }: SessionRecord): void {
    const how = state === "ended" ? `ended: ${ending}` : state
    this.world.trace.add(this.world.now, `directory: ${sessionId}, fence ${fence} on ${hostId}, ${how}`)
    if (state !== "ended") return
    this.ended.add(fence)
    const waited = this.world.now - (this.claimedAt.get(fence) ?? this.world.now)
    const wrong =
      (ending === "host forgot it" && this.runs(hostId, { sessionId, fence })) ||
      (ending === "host restarted" && (this.epochs.get(hostId) ?? 0) <= epoch) ||
      (ending === "never started" && (waited < this.settings.claimMillis || this.confirmed.has(fence))) ||
      (ending === "host gone" && this.silence(hostId) < this.settings.goneMillis)
    if (wrong)
      this.world.violate("no session ends without a cause", `${sessionId}, fence ${fence}: ${ending}`)
  }
}
