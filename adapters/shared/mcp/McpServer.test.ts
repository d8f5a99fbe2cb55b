/** The MCP server over a client, with the SDK's own client at the other end. */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client"
// @ts-types="@modelcontextprotocol/sdk/inMemory"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { createServer } from "./McpServer.ts"

const opened = async (options: Parameters<typeof createServer>[1]) => {
  const client = await connect({ inProcess: true })
  const server = await createServer(client, options)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const mcp = new McpClient({ name: "test", version: "1" })
  await Promise.all([server.connect(near), mcp.connect(far)])
  return { client, server, mcp }
}

it("offers the tools over any transport of the SDK", async () => {
  const { client, mcp } = await opened({ cwd: "/", shell: "/bin/sh" })
  expect(mcp.getInstructions()).toMatch(/^Commands run with \/bin\/sh in \//)
  const result = await mcp.callTool({ name: "exec_command", arguments: { cmd: "pwd" } })
  expect(result).toMatchObject({ structuredContent: { exit_code: 0, output: "/\n" } })
  await mcp.close()
  await client.close()
})

it("kills its commands when its transport closes, and leaves the client open", async () => {
  const { client, server, mcp } = await opened({ instructions: "Be quick." })
  expect(mcp.getInstructions()).toBe("Be quick.")
  const cmd = "echo $$; exec sleep 1000"
  const call = async (name: string, more: object) => {
    const { structuredContent } = await mcp.callTool({ name, arguments: { yield_time_ms: 250, ...more } })
    return structuredContent as { output: string; session_id: number }
  }
  let { output, session_id } = await call("exec_command", { cmd })
  while (!output.endsWith("\n")) output += (await call("write_stdin", { session_id })).output
  await server.close()
  const gone = `while kill -0 ${output.trim()}; do sleep 0.02; done 2>/dev/null; echo gone`
  expect(await client.run({ argv: ["sh", "-c", gone] })).toMatchObject({ stdout: "gone\n" })
  await client.close()
})
