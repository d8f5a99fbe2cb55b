/** Writes the events of one connection: adds the time and who it is. */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type { Peer } from "../../transport/Transport.ts"
import type * as AuditEvent from "./AuditEvent.ts"
import { type AuditError, type AuditLog, toTime } from "./AuditLog.ts"

/** The origin of a connection, as its events report it. */
export interface Origin {
  /** Its number. */
  readonly connection: number
  /** Its maker; undefined if its transport does not know. */
  readonly peer: Peer | undefined
  /** The id of its session, once it has one. */
  readonly session: () => string | undefined
}

type OriginField = "time" | "connection" | "peer" | "session"

type Without<E> = E extends { readonly connection: number } ? Omit<E, OriginField> : never

/** An event of a connection without what all of them say. */
export type Said = Without<AuditEvent.Event>

/** Writes into the log on behalf of one connection. */
export interface Scribe {
  /** See `AuditLog.admit`. */
  readonly admit: (said: Said) => Effect.Effect<void, AuditError>
  /** See `AuditLog.note`. */
  readonly note: (said: Said) => void
  /** The number of an operation, for all its events. */
  readonly nextOperation: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The same with the session of this moment, for what outlives its connection. */
  readonly inSession: () => Scribe
}

/** A scribe of one connection. */
export const make = (log: AuditLog, origin: Origin, clock: Clock.Clock): Scribe => {
  let operations = 0
  const scribeOf = (session: () => string | undefined): Scribe => {
    const toEvent = (said: Said): AuditEvent.Event => {
      const { event, ...rest } = said
      return {
        event,
        time: toTime(clock.currentTimeMillisUnsafe()),
        connection: origin.connection,
        peer: origin.peer ?? { transport: "other" },
        session: session(),
        ...rest,
      } as AuditEvent.Event
    }
    return {
      admit: (said) => log.admit(toEvent(said)),
      note: (said) => log.note(toEvent(said)),
      nextOperation: () => (operations += 1),
      now: () => clock.currentTimeMillisUnsafe(),
      inSession: () => {
        const id = session()
        return scribeOf(() => id)
      },
    }
  }
  return scribeOf(origin.session)
}
