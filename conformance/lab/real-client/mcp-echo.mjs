// @ts-check
// A small MCP server with one tool that echoes a text: over stdio, or with `http` over HTTP on a free port.
import { createServer } from "node:http"
import { urlOf } from "./model.mjs"

/**
 * @typedef {{ protocolVersion?: unknown, arguments?: { text: string } }} Params
 * @typedef {{ id?: unknown, method: string, params?: Params }} Request
 */

/** @type {Record<string, (params: Params) => unknown>} */
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1" },
  }),
  "tools/list": () => ({
    tools: [
      {
        name: "echo",
        description: "Says it again.",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
    ],
  }),
  "tools/call": ({ arguments: { text } = { text: "" } }) => ({
    content: [{ type: "text", text: `echo: ${text} by ${process.pid}` }],
  }),
  ping: () => ({}),
}

/** @param {Request} request */
const answer = ({ id, method, params = {} }) => {
  if (id === undefined) return undefined
  const result = results[method]
  return result === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32601, message: `no ${method}` } }
    : { jsonrpc: "2.0", id, result: result(params) }
}

const overHttp = () => {
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    if (request.method !== "POST") return response.writeHead(405).end()
    const reply = answer(JSON.parse(Buffer.concat(parts).toString()))
    if (reply === undefined) return response.writeHead(202).end()
    // As an event, so that the client has to take the body as a stream.
    return response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`event: message\ndata: ${JSON.stringify(reply)}\n\n`)
  })
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${urlOf(server)}/mcp\n`))
}

const overStdio = () => {
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const reply = answer(JSON.parse(line))
      if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`)
    }
  })
}

if (process.argv[2] === "http") overHttp()
else overStdio()
