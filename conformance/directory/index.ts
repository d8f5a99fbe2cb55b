/**
 * The directory suite: its cases, a plain runner, and its vitest form, which needs vitest.
 *
 * @module
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { DirectorySuite } from "procwire/conformance/directory"
 * import { MemoryDirectory } from "procwire/directory"
 *
 * DirectorySuite.suite("my directory", (options) =>
 *   Effect.map(MemoryDirectory.make(options), (directory) => Effect.succeed(directory)),
 * )
 * ```
 */
export * from "./runner.ts"
export * as DirectorySuite from "./DirectorySuite.ts"
