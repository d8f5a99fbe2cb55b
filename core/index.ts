/**
 * Everything of procwire in Effect that no runtime is needed for: the wire, the server, its seams, the clients, and the
 * tools for agents. `procwire/effect` adds what the runtime brings.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ExecClient, open } from "procwire/effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* ExecClient.make(open({ inProcess: true }))
 *   const process = yield* client.start({ argv: ["uname", "-a"] })
 *   return yield* process.exitCode
 * }).pipe(Effect.scoped)
 * ```
 *
 * @module
 */
export * from "./agent/effect.ts"
export * from "./client/index.ts"
export * from "./files/index.ts"
export * from "./http/index.ts"
export * from "./process/index.ts"
export * as Protocol from "./protocol/index.ts"
export * from "./rpc/index.ts"
export * from "./server/index.ts"
export * from "./session/index.ts"
export * from "./spawn/index.ts"
export * from "./transport/index.ts"
