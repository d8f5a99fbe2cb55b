/**
 * Sessions, which own processes and outlive the connections of their client.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { SessionRegistry } from "procwire/effect/session"
 *
 * const program = Effect.gen(function* () {
 *   const sessions = yield* SessionRegistry.make(SessionRegistry.defaultOptions)
 *   const connection = { taken: () => () => {} }
 *   const session = yield* sessions.open(connection)
 *   yield* sessions.detach(session, connection)
 *   return yield* sessions.resume(session.id, connection)
 * })
 * ```
 *
 * @module
 */
export type { Changes } from "./Changes.ts"
export * as Listing from "./Listing.ts"
export * as SessionIds from "./SessionIds.ts"
export * as SessionRegistry from "./SessionRegistry.ts"
