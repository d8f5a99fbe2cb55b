/**
 * A host of a fleet as it has to behave: it announces itself and its sessions now and then, renews its lease, confirms
 * what it has begun, ends what it is asked to end, and never ends a session because the directory is away.
 */
import * as Effect from "effect/Effect"
import type { SessionKey, SessionRecord } from "../../core/directory/Directory.ts"
import type { DirectoryError } from "../../core/directory/DirectoryError.ts"
import type { OwnEnding } from "../../core/directory/Ending.ts"
import type { FleetLink } from "./FleetLink.ts"
import type { World } from "./World.ts"

/** Milliseconds between two attempts. */
const pause = 500

export class FleetHost {
  readonly hostId: string
  readonly sessions = new Map<string, SessionRecord>()
  epoch = 1
  /** When it goes on. */
  frozenUntil = 0
  stopped = false
  private upTo = 0
  private readonly capacity: number
  private readonly world: World
  private readonly link: FleetLink

  constructor(hostId: string, capacity: number, world: World, link: FleetLink) {
    this.hostId = hostId
    this.capacity = capacity
    this.world = world
    this.link = link
  }

  /** Announces itself again whenever it has to, and renews its lease, until it is stopped. */
  readonly run: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    let announced = 0
    let renewals = 0
    while (!this.stopped) {
      yield* this.awake
      const { hostId, epoch } = this
      const done =
        announced === epoch && renewals % 10 < 9
          ? yield* Effect.result(this.link.ask((directory) => directory.renew({ hostId, epoch })))
          : yield* Effect.result(this.announce)
      yield* this.awake
      if (epoch !== this.epoch) continue
      renewals += 1
      if (done._tag === "Success") announced = epoch
      else if (done.failure.reason === "NoHostKnown") announced = 0
      else if (done.failure.reason === "Fenced") this.begin()
      yield* Effect.sleep(done._tag === "Success" ? 2 * pause : pause)
    }
  })

  /** It begins anew: another epoch, and no session. */
  begin(): void {
    this.epoch += 1
    this.upTo = 0
    this.sessions.clear()
    this.world.note(`${this.hostId}: epoch ${this.epoch}`)
  }

  /** A router asks for a session that it was given a place for. */
  start(session: SessionRecord, fails: boolean): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.awake
      if (session.epoch !== this.epoch || this.stopped) return
      if (fails) return yield* this.end(session, "start failed")
      const before = this.sessions.get(session.sessionId)
      if (before !== undefined && before.fence >= session.fence) return
      this.sessions.set(session.sessionId, session)
      yield* this.persist(session, () =>
        Effect.map(
          this.link.ask((directory) => directory.confirm(session)),
          ({ version }) => void (this.upTo = Math.max(this.upTo, version)),
        ),
      )
    })
  }

  end(session: SessionRecord, how: OwnEnding): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.awake
      if (session.epoch !== this.epoch) return
      if (this.sessions.get(session.sessionId)?.fence === session.fence)
        this.sessions.delete(session.sessionId)
      const words = () => Effect.asVoid(this.link.ask((directory) => directory.end(session, how)))
      yield* this.persist(session, words)
    })
  }

  private readonly announce = Effect.gen({ self: this }, function* () {
    const { hostId, epoch, capacity } = this
    const held = { upTo: this.upTo, sessions: [...this.sessions.values()] }
    const said = { hostId, epoch, capacity, labels: {}, held }
    const { over, version } = yield* this.link.ask((directory) => directory.announce(said))
    if (epoch !== this.epoch) return
    for (const { sessionId, fence } of held.sessions)
      if (over.includes(sessionId) && this.sessions.get(sessionId)?.fence === fence)
        this.sessions.delete(sessionId)
    this.upTo = Math.max(this.upTo, version)
  })

  /** Says something until it is heard or refused; a refusal ends the session. */
  private persist(
    key: SessionKey & { readonly epoch: number },
    say: () => Effect.Effect<void, DirectoryError>,
  ) {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        yield* this.awake
        if (key.epoch !== this.epoch) return
        const said = yield* Effect.result(say())
        if (said._tag === "Success") return
        if (said.failure.reason !== "Unavailable") {
          if (this.sessions.get(key.sessionId)?.fence === key.fence) this.sessions.delete(key.sessionId)
          return
        }
        yield* Effect.sleep(pause)
      }
    })
  }

  /** Nothing is done while it is frozen. */
  private readonly awake: Effect.Effect<void> = Effect.suspend(() =>
    this.frozenUntil > this.world.now
      ? Effect.andThen(Effect.sleep(this.frozenUntil - this.world.now), this.awake)
      : Effect.void,
  )
}
