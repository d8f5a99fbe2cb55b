/**
 * The tools of `procwire/effect/agent` as an MCP server, which ends with its scope. It needs the package
 * `@modelcontextprotocol/sdk`, which procwire does not install.
 *
 * @module
 */
export * as ToolServer from "./ToolServer.ts"
