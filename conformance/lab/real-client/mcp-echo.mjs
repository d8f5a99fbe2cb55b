// @ts-check
// A small MCP server with one tool that echoes a text: over stdio, or with `http` over HTTP on a free port.
import { createServer } from "node:http"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { z } from "zod"
import { urlOf } from "./model.mjs"

const echo = () => {
  const server = new McpServer({ name: "echo", version: "1" })
  const about = { description: "Says it again.", inputSchema: { text: z.string() } }
  server.registerTool("echo", about, ({ text }) => ({
    content: [{ type: "text", text: `echo: ${text} by ${process.pid}` }],
  }))
  return server
}

/** Keeps no session: each request has a server of its own, and its answer is a stream of events. */
const overHttp = () => {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end()
    const transport = new StreamableHTTPServerTransport()
    await echo().connect(
      /** @type {import("@modelcontextprotocol/sdk/shared/transport.js").Transport} */ (transport),
    )
    return transport.handleRequest(request, response)
  })
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${urlOf(server)}/mcp\n`))
}

if (process.argv[2] === "http") overHttp()
else await echo().connect(new StdioServerTransport())
