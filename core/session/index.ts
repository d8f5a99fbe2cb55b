/**
 * Sessions, which own processes and outlive the connections of their client.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { SessionRegistry } from "procwire/session"
 *
 * const program = Effect.gen(function* () {
 *   const sessions = yield* SessionRegistry.make(SessionRegistry.defaultOptions)
 *   const session = yield* sessions.open
 *   yield* sessions.detach(session)
 *   return yield* sessions.resume(session.id)
 * })
 * ```
 *
 * @module
 */
export * as SessionIds from "./SessionIds.ts"
export * as SessionRegistry from "./SessionRegistry.ts"
