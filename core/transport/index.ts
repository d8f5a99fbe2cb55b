/**
 * Transports, which carry whole JSON texts; the framing of lines; a pair of transports in memory.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Memory } from "procwire/effect/transport"
 *
 * const program = Effect.gen(function* () {
 *   const [client, server] = yield* Memory.makePair()
 *   client.write('{"method":"initialized"}')
 *   return yield* server.incoming.take
 * })
 * ```
 *
 * @module
 */
export * as Framing from "./Framing.ts"
export * as Inbox from "./Inbox.ts"
export * as Listener from "./Listener.ts"
export * as Memory from "./Memory.ts"
export * as Transport from "./Transport.ts"
