/**
 * The tools for language models as effects: `UnifiedExec`, over an `ExecClient`. `FirstExec` is their first version,
 * for programs that were written for it.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { ExecClient, open } from "procwire/effect"
 * import { Reply, UnifiedExec } from "procwire/effect/agent"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* ExecClient.make(open({ inProcess: true }))
 *   const tools = yield* UnifiedExec.make(client, { cwd: "/srv/project" })
 *   return Reply.toText(yield* tools.call("exec_command", { cmd: "make test" }))
 * }).pipe(Effect.scoped)
 * ```
 *
 * @module
 */
export * as ExecBackend from "./ExecBackend.ts"
export * as FirstExec from "./FirstExec.ts"
export * as Reply from "./Reply.ts"
export * as ToolError from "./ToolError.ts"
export * as Tools from "./Tools.ts"
export * as Truncate from "./Truncate.ts"
export * as UnifiedExec from "./UnifiedExec.ts"
export type { Taken as TakenOutput } from "./PlainText.ts"
export { toolDefinitions } from "./Tools.ts"
export type * from "./types.ts"
