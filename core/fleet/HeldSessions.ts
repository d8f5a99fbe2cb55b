/**
 * The sessions that a host has at places of a fleet: the truth about them. Plain data; `HostLink` tells routers.
 */
import type * as Effect from "effect/Effect"
import type { Announce } from "./FleetMessages.ts"

interface Held {
  readonly fence: number
  readonly tenant: string
  readonly end: Effect.Effect<void>
}

/** The sessions of a host, by the names of the directory. */
export class HeldSessions {
  private readonly sessions = new Map<string, Held>()
  private version = 0

  /** A session is open. */
  add(key: string, held: Held): void {
    this.sessions.set(key, held)
  }

  /** A session is over; false if it was over for the fleet before. */
  remove(key: string, fence: number): boolean {
    if (this.sessions.get(key)?.fence !== fence) return false
    return this.sessions.delete(key)
  }

  /** The directory has told of this change. */
  heard(version: number): void {
    this.version = Math.max(this.version, version)
  }

  /** The number of sessions. */
  get size(): number {
    return this.sessions.size
  }

  /** The content of an announcement. */
  told(): Announce["held"] {
    const sessions = [...this.sessions].map(([sessionId, { fence, tenant }]) => ({
      sessionId,
      fence,
      tenant,
    }))
    return { upTo: this.version, sessions }
  }

  /** Takes out those that are over for everybody else, with what ends them here; without names all. */
  over(keys: Iterable<string> = [...this.sessions.keys()]): ReadonlyArray<Effect.Effect<void>> {
    return [...keys].flatMap((key) => {
      const held = this.sessions.get(key)
      this.sessions.delete(key)
      return held === undefined ? [] : [held.end]
    })
  }
}
