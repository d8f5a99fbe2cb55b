/**
 * The directory suite without vitest: its cases and a plain runner.
 *
 * @module
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { DirectoryRunner } from "procwire/conformance/directory/runner"
 * import { MemoryDirectory } from "procwire/directory"
 *
 * const outcomes = await DirectoryRunner.run((options) =>
 *   Effect.map(MemoryDirectory.make(options), (directory) => Effect.succeed(directory)),
 * )
 * console.log(outcomes.filter(({ status }) => status === "fail"))
 * ```
 */
export * as DirectoryContext from "./DirectoryContext.ts"
export * as DirectoryRunner from "./DirectoryRunner.ts"
export { cases } from "./cases/index.ts"
