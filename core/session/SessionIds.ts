/** The source of session ids. A client that knows an id can resume its session, so ids must not be guessable. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Makes session ids. */
export interface SessionIdsService {
  /** A fresh UUID v4 from a cryptographic source. */
  readonly next: Effect.Effect<string>
}

/** The service; every runtime has its own cryptographic source. */
export class SessionIds extends Context.Service<SessionIds, SessionIdsService>()("procwire/SessionIds") {}
