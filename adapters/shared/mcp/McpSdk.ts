/**
 * The used part of the MCP SDK. It is large, so it is imported only by `procwire mcp`, and the build puts it into a
 * file of its own: a server starts faster without reading it.
 *
 * Deno finds the types only with `@ts-types`: https://github.com/modelcontextprotocol/typescript-sdk/issues/2701
 */
export { Server } from "@modelcontextprotocol/sdk/server"
// @ts-types="@modelcontextprotocol/sdk/types"
export {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RequestIdSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
export type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
export type {
  CallToolResult,
  JSONRPCMessage,
  ReadResourceResult,
  Resource,
  Tool,
} from "@modelcontextprotocol/sdk/types"
