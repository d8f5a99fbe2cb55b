/**
 * The agreement of many machines: hosts, claims of places for sessions, leases and fences; and a directory in
 * memory.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Directory, MemoryDirectory } from "../../core/directory/index.ts"
 *
 * const program = Effect.gen(function* () {
 *   const directory = yield* Directory.Directory
 *   yield* directory.announce({ hostId: "a", epoch: 1, labels: { os: "linux" }, capacity: 8 })
 *   const session = yield* directory.claim({ sessionId: "s1", tenant: "t", quota: 2, labels: { os: "linux" } })
 *   return yield* directory.confirm(session)
 * })
 *
 * const session = await Effect.runPromise(Effect.provide(program, MemoryDirectory.layer()))
 * ```
 *
 * @module
 */
export * as Directory from "./Directory.ts"
export * as DirectoryError from "./DirectoryError.ts"
export * as DirectoryOptions from "./DirectoryOptions.ts"
export * as Ending from "./Ending.ts"
export * as MemoryDirectory from "./Memory.ts"
