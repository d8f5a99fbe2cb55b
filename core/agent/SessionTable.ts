/**
 * The sessions that `write_stdin` knows, at most 64.
 *
 * Adding one more removes the least recently used: one that has exited if there is any, never one of the 8 used last,
 * and never one that a call waits for. If none qualifies, the table grows.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** The facts about a session that decide whether it is removed. */
export interface Entry {
  readonly id: number
  /** The calls that wait for it. */
  readonly callers: number
  /** True once it has exited or is lost. */
  readonly over: boolean
}

export const maxSessions = 64
/** The sessions used last that are never removed. */
export const spared = 8

/** The ended sessions that are remembered. */
export const remembered = 256

/** Why sessions were ended that their caller may still ask for: the last of them. */
export class EndedSessions {
  /** In the order of their ends. */
  private readonly reasons = new Map<number, string>()

  add(id: number, why: string): void {
    this.reasons.set(id, why)
    const [oldest] = this.reasons.keys()
    if (this.reasons.size > remembered && oldest !== undefined) this.reasons.delete(oldest)
  }

  /** Why that session was ended; undefined if it was not, or too long ago. */
  why(id: number): string | undefined {
    return this.reasons.get(id)
  }

  /** The id belongs to a new session. */
  forget(id: number): void {
    this.reasons.delete(id)
  }
}

export class SessionTable<Session extends Entry> {
  /** In the order of their last use. */
  private readonly sessions = new Map<number, Session>()
  private readonly reserved = new Set<number>()

  /** Reserves a random id from 1000 to 99999; `free` or `remove` releases it. */
  readonly reserve: Effect.Effect<number> = Effect.suspend(() => Random.nextIntBetween(1000, 99_999)).pipe(
    Effect.repeat({ until: (id) => !this.reserved.has(id) }),
    Effect.tap((id) => Effect.sync(() => this.reserved.add(id))),
  )

  free(id: number): void {
    this.reserved.delete(id)
  }

  get all(): ReadonlyArray<Session> {
    return [...this.sessions.values()]
  }

  /** The session with that id; counts as a use. */
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

  /** Adds a session. Returns the one that was removed for it. */
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
