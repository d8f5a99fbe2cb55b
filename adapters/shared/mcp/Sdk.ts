/**
 * What is used of the MCP SDK. It is large, so it is imported when it is needed, and the build leaves it in a file of
 * its own: a server that need not read it starts faster.
 */
export { Server } from "@modelcontextprotocol/sdk/server/index.js"
export {
  CallToolRequestSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
  RequestIdSchema,
} from "@modelcontextprotocol/sdk/types.js"
