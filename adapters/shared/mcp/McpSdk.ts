/**
 * What is used of the MCP SDK. It is large, so it is imported when it is needed, and the build leaves it in a file of
 * its own: a server that need not read it starts faster.
 *
 * Deno has to be told where types are, or finds none: https://github.com/modelcontextprotocol/typescript-sdk/issues/2701
 */
export { Server } from "@modelcontextprotocol/sdk/server"
// @ts-types="@modelcontextprotocol/sdk/types"
export {
  CallToolRequestSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
  RequestIdSchema,
} from "@modelcontextprotocol/sdk/types.js"
export type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
export type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types"
