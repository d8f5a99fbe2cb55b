/**
 * The tools for language models, over any client: `createTools` as promises, `UnifiedExec` as effects. `FirstExec` is
 * their first version, for programs that were written for it.
 *
 * @example
 * ```ts
 * import { createTools } from "procwire/agent"
 * import { connect } from "procwire/runtime"
 *
 * const client = await connect({ inProcess: true })
 * const tools = createTools(client, { cwd: "/srv/project" })
 * const { text } = await tools.call("exec_command", '{"cmd":"make test"}')
 * console.log(text)
 * await tools.close()
 * await client.close()
 * ```
 *
 * @module
 */
export * as AgentTools from "./AgentTools.ts"
export { createTools } from "./AgentTools.ts"
export type { Left as LeftProcess } from "./Background.ts"
export type { Defaults } from "./Command.ts"
export type { Stopping } from "./Commands.ts"
export type { Excerpt } from "./Excerpt.ts"
export * as ExecBackend from "./ExecBackend.ts"
export * as FirstExec from "./FirstExec.ts"
export type { Listed as ListedCommand } from "./Listing.ts"
export * as Reply from "./Reply.ts"
export type { Form as TextForm } from "./PlainText.ts"
export type { Rest, RestCall } from "./Rest.ts"
export type { Screen as ShownScreen } from "./Screen.ts"
export type { Progress, Watcher } from "./Session.ts"
export * as ToolError from "./ToolError.ts"
export * as Tools from "./Tools.ts"
export { toolDefinitions } from "./Tools.ts"
export * as Truncate from "./Truncate.ts"
export * as AnthropicBash from "./vendor/AnthropicBash.ts"
export { bashTool } from "./vendor/AnthropicBash.ts"
export * as OpenAiShell from "./vendor/OpenAiShell.ts"
export { localShellTool, shellTool } from "./vendor/OpenAiShell.ts"
export * as UnifiedExec from "./UnifiedExec.ts"
export type { Kind, WaitEnd } from "./WaitFor.ts"
