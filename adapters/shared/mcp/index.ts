/**
 * The tools of `procwire/agent` as an MCP server, for programs that have a transport of the MCP SDK. It needs the
 * package `@modelcontextprotocol/sdk`, which procwire does not install. The command `procwire mcp` needs nothing.
 *
 * @example
 * ```ts
 * import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
 * import { createServer } from "procwire/mcp"
 * import { connect } from "procwire/runtime"
 *
 * const client = await connect({ inProcess: true })
 * const server = await createServer(client, { cwd: "/path/to/project" })
 * await server.connect(new StdioServerTransport())
 * ```
 *
 * @module
 */
export { createServer, type ServerOptions } from "./McpServer.ts"
