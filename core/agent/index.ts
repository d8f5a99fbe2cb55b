/**
 * The tools for language models, over any client.
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
export { createTools } from "./AgentTools.ts"
export type { AgentTools, CallOptions, Signal, TextReply } from "./AgentTools.ts"
export { ToolError, type ToolReason } from "./ToolError.ts"
export { toolDefinitions } from "./Tools.ts"
export type {
  ExecCommand,
  ListCommands,
  Offer,
  ReadOutput,
  ReadScreen,
  StopCommand,
  ToolDefinition,
  WriteStdin,
} from "./Tools.ts"
export type { Options as ToolsOptions } from "./UnifiedExec.ts"
export { bashTool } from "./vendor/AnthropicBash.ts"
export type { BashOptions, BashTool, ToolResult, ToolUse } from "./vendor/AnthropicBash.ts"
export { localShellTool, shellTool } from "./vendor/OpenAiShell.ts"
export type {
  LocalShellCall,
  LocalShellCallOutput,
  ShellCall,
  ShellCallOutput,
  ShellOptions,
  ShellOutput,
  VendorTool,
} from "./vendor/OpenAiShell.ts"
export type * from "./types.ts"
