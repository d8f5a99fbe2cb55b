/** Where session ids come from. Whoever knows an id may resume its session: they must not be guessable. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface SessionIdsService {
  /** A fresh UUID v4 from a cryptographic source. */
  readonly next: Effect.Effect<string>
}

export class SessionIds extends Context.Tag("procwire/SessionIds")<SessionIds, SessionIdsService>() {}
