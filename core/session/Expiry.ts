/** The expiry of detached sessions. */
import * as Effect from "effect/Effect"
import type { Place } from "../transport/Transport.ts"

/** A session, as far as its time to live matters. */
export interface Expiring {
  /** Its processes; those that are kept outlive it. */
  readonly session: { readonly id: string; readonly processes: { readonly noneKept: Effect.Effect<void> } }
  /** Identifies the latest detachment. */
  readonly detachment: object | undefined
  /** Its place in a fleet, if a router has found one. */
  readonly place: Place | undefined
}

/** Ends a session when its time to live is over and none of its processes is kept. */
export const expire = <E extends Expiring>(
  entry: E,
  detachment: object,
  detachedMillis: number,
  end: (session: E["session"]) => Effect.Effect<void>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(detachedMillis)
    // While no door is open no client can come, so the time begins anew.
    while (entry.place !== undefined && (yield* entry.place.unreachable)) yield* Effect.sleep(detachedMillis)
    yield* entry.session.processes.noneKept
    // The session was resumed meanwhile, and perhaps detached again.
    if (entry.detachment !== detachment) return
    yield* Effect.annotateLogs(Effect.logDebug("session expired"), { session: entry.session.id })
    yield* end(entry.session)
  })
