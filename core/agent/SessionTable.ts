/**
 * The sessions that can be asked for, at most 64 of them.
 *
 * Where one more comes, the one goes that was used longest ago, of those that have exited if there are such; but
 * never one of the 8 that were used last, and none that a call waits for.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** What is asked about a session to decide who goes. */
export interface Entry {
  readonly id: number
  /** Calls that wait for it. */
  readonly callers: number
  /** It has exited. */
  readonly over: boolean
}

export const maxSessions = 64
export const spared = 8

export class SessionTable<Session extends Entry> {
  /** In the order of their last use. */
  private readonly sessions = new Map<number, Session>()
  private readonly reserved = new Set<number>()

  /** An id from 1000 to 99999 that nobody has; taken until `free`. */
  readonly reserve: Effect.Effect<number> = Effect.suspend(() => Random.nextIntBetween(1000, 100_000)).pipe(
    Effect.repeat({ until: (id) => !this.reserved.has(id) }),
    Effect.tap((id) => Effect.sync(() => this.reserved.add(id))),
  )

  free(id: number): void {
    this.reserved.delete(id)
  }

  get all(): ReadonlyArray<Session> {
    return [...this.sessions.values()]
  }

  /** The session of that id, which counts as a use of it. */
  use(id: number): Session | undefined {
    const session = this.sessions.get(id)
    if (session !== undefined) {
      this.sessions.delete(id)
      this.sessions.set(id, session)
    }
    return session
  }

  has(session: Session): boolean {
    return this.sessions.get(session.id) === session
  }

  /** Adds a session; answers the one that had to go for it. */
  add(session: Session): Session | undefined {
    const victim = this.sessions.size < maxSessions ? undefined : this.dispensable()
    if (victim !== undefined) this.remove(victim)
    this.sessions.set(session.id, session)
    return victim
  }

  remove(session: Session): void {
    if (this.has(session)) this.sessions.delete(session.id)
    this.free(session.id)
  }

  private dispensable(): Session | undefined {
    const idle = this.all.slice(0, -spared).filter(({ callers }) => callers === 0)
    return idle.find(({ over }) => over) ?? idle[0]
  }
}
