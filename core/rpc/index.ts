/**
 * JSON-RPC over a transport: connections for both ends, and the router from methods to handlers.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Connection } from "procwire/effect/rpc"
 * import { Memory } from "procwire/effect/transport"
 *
 * const program = Effect.gen(function* () {
 *   const [client, server] = yield* Memory.makePair()
 *   const receiver = { request: () => Effect.succeed('"pong"'), slotted: () => false, notification: () => true }
 *   const options = { concurrentRequests: 16 }
 *   const answering = yield* Connection.make(server, receiver, options)
 *   const asking = yield* Connection.make(client, receiver, options)
 *   yield* Effect.forkScoped(answering.run)
 *   yield* Effect.forkScoped(asking.run)
 *   return yield* asking.call("ping", {})
 * })
 * ```
 *
 * @module
 */
export * as Connection from "./Connection.ts"
export * as Router from "./Router.ts"
